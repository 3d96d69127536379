"""Names in single backquotes become links, and a name of ours that leads nowhere stops the build."""

import re
from functools import cache
from pkgutil import resolve_name
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from sitemaker.reference import PACKAGES, public_names

NOTHING = object()
OURS = re.compile(rf"(?:{'|'.join(PACKAGES)})(?:\.\w+)+")


def named(
    role: str, source: str, text: str, line: int, inliner: Inliner, options: Any = None, content: Any = ()
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return what stands in single backquotes: code that asks for a link."""
    code = nodes.literal(text, text, classes=["xref"])
    env = inliner.document.settings.env
    context = {"py:module": env.ref_context.get("py:module"), "py:class": env.ref_context.get("py:class")}
    asked = pending_xref(text, code, refdomain="py", reftype="obj", reftarget=text, refdoc=env.docname, **context)
    asked["named"] = True
    return [asked], []


def resolve(app: Sphinx, env: BuildEnvironment, asked: pending_xref, shown: nodes.Element) -> nodes.Element | None:
    """Return a link to where a name is documented, or plain code where it is nobody's business; else None."""
    if "named" not in asked:
        return None
    target = asked["reftarget"].removesuffix("()")
    if not OURS.fullmatch(target):
        return shown
    meant = meaning(target)
    if meant is None:
        return None  # Sphinx says that the name leads nowhere
    for full in meant:
        found = env.domains.python_domain.resolve_xref(env, asked["refdoc"], app.builder, "obj", full, asked, shown)
        if found is not None:
            return found
    return shown


@cache
def meaning(target: str) -> tuple[str, ...] | None:
    """Return under which names a name of ours may be documented; None if there is no such thing."""
    owner, _, attribute = target.rpartition(".")
    value, holder = found_at(target), found_at(owner)
    announced = {name for kind in getattr(holder, "__mro__", ()) for name in vars(kind).get("__annotations__", {})}
    if value is NOTHING and attribute not in announced:
        return None
    return (target, *names_of(value), *(f"{name}.{attribute}" for name in names_of(holder)))


def found_at(name: str) -> object:
    """Return what has this dotted name, or `NOTHING`."""
    try:
        return resolve_name(name)
    except (ImportError, AttributeError):
        return NOTHING


def names_of(value: object) -> list[str]:
    """Return the names by which users import something."""
    return [name for name, other in public_names().items() if other is value]


def setup(app: Sphinx) -> None:
    """Connect the role to its links."""
    app.add_role("named", named)
    app.connect("missing-reference", resolve)
