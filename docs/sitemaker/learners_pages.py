"""A page for each named learner, made from its class: what it is told, its state, its bound, and where it fails."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

from numpydoc.docscrape import NumpyDocString

from learners.catalogue import all_learners
from learners.policy import Policy
from learners.rl.saved_policy import SavedPolicy
from sitemaker import theorems
from sitemaker.markdown import linked, table, value
from sitemaker.search import entries
from strategic_env.bench.contestants import contestant, mistake_bound
from strategic_env.games.registration import GAMES, scenario_names
from strategic_env.games.scenarios import scenario

FOLDER = "learners"
NAMED = re.compile(r"Algorithm \d+")  # as papers call it, and as people look for it
Kind = type[Policy[Any]]


def learner_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page."""
    yield f"{FOLDER}/index", index_page()
    for name, kind in all_learners().items():
        yield f"{FOLDER}/{name}", learner_page(name, kind)


def index_page() -> str:
    """Return the page that leads to all learners, by the games that they play."""
    lines = ["# Learners", "", "By the names that the command line and `evaluate` know; any object that predicts is", 
             "one, too: [your own](../your_learner.md).", ""]  # fmt: skip
    titles: dict[str, list[str]] = {}
    for game in GAMES:
        titles.setdefault(game.name, []).append(game.title)
    for game_name, title in titles.items():
        own = {name: kind for name, kind in all_learners().items() if kind.game == game_name}
        lines.append(f"## {' and '.join(title).capitalize()}")
        body = ((f"[{name}]({name}.md)", linked(kind.summary), told(kind)) for name, kind in own.items())
        lines += table(("learner", "what it is", "must be told"), body)
        lines += ["```{toctree}", ":hidden:", *own, "```", ""]
    return "\n".join(lines)


def told(kind: Kind) -> str:
    """Return what a learner must be told, in a line."""
    return ", ".join(f"`{name}`" for name in kind.requires) or "nothing"


def learner_page(name: str, kind: Kind) -> str:
    """Return the page of a learner."""
    written = NumpyDocString(inspect.getdoc(kind) or "")
    home = "learners.rl" if kind is SavedPolicy else "learners"
    lines = [
        f"# {name}", "", *entries(NAMED.findall(kind.summary)),
        linked(f"{kind.summary[0].upper()}{kind.summary[1:]}."), "",
        *texts(written["Summary"]), *texts(written["Extended Summary"]),
        f"In Python it is {{named}}`{home}.{kind.__name__}`, on the command line `--learner {name}`.", "",
        *told_of(kind), *parameters_of(kind, written), *state_of(kind), *bound_of(name, kind, written),
        "## Where it fails", "", *(texts(written["Warnings"]) or [NOTHING_KNOWN, ""]),
        "## Source", "", *(texts(written["References"]) or ["This package's own.", ""]),
        "## Example", "", *example_of(written),
    ]  # fmt: skip
    return "\n".join(lines)


NOTHING_KNOWN = "Nothing is written down beyond what its bound assumes."


def texts(lines: list[str]) -> list[str]:
    """Return the lines of a section with links in them, and a blank line at the end."""
    return [*linked("\n".join(lines)).split("\n"), ""] if any(lines) else []


def told_of(kind: Kind) -> list[str]:
    """Return what a learner must or may be told, and by which scenarios."""
    wanted = [(name, "yes") for name in kind.requires] + [(name, "no") for name in kind.welcomes]
    if not wanted:
        return ["## What it is told", "", "Nothing but its observations.", ""]
    body = [(f"`{name}`", needed, tellers(kind, name)) for name, needed in wanted]
    return ["## What it is told", "", "Besides its observations:", *table(("name", "must be told", "told by"), body)]


def tellers(kind: Kind, what: str) -> str:
    """Return links to the scenarios of a learner's game that tell it something."""
    game = [name for name in scenario_names() if scenario(name).game == kind.game]
    silent = [name for name in game if what not in scenario(name).knowledge]
    few = silent if 2 * len(silent) < len(game) else [name for name in game if name not in silent]
    links = ", ".join(f"[{name}](../environments/{name}.md)" for name in few)
    if few is silent:
        return f"all scenarios but {links}" if links else "every scenario of its game"
    return links or "nobody: say it yourself"


def parameters_of(kind: Kind, written: NumpyDocString) -> list[str]:
    """Return the parameters of a learner with their defaults."""
    defaults = {name: default_of(one.default) for name, one in inspect.signature(kind).parameters.items()}
    body = [
        (f"`{one.name}`", one.type, defaults.get(one.name, ""), linked(" ".join(one.desc)))
        for one in written["Parameters"]
    ]
    return ["## Parameters", *table(("name", "kind", "default", "what"), body)] if body else []


def default_of(default: object) -> str:
    """Return a default as users write it."""
    return "must be given" if default is inspect.Parameter.empty else value(default)


def state_of(kind: Kind) -> list[str]:
    """Return what a learner keeps from round to round."""
    state = getattr(kind, "state_class", None)
    text = inspect.getdoc(state) if isinstance(state, type) else None
    if not isinstance(state, type) or text is None:
        return ["## State", "", "What the learner or policy inside it keeps, and what it needs besides.", ""]
    written = NumpyDocString(text)
    summary = linked("\n".join([*written["Summary"], *written["Extended Summary"]]))
    body = [(f"`{one.name}`", one.type, linked(" ".join(one.desc))) for one in written["Attributes"]]
    return [
        "## State", "", f"`{state.__name__}`. {summary}", *(table(("field", "kind", "what"), body) if body else [""]),
    ]  # fmt: skip


def bound_of(name: str, kind: Kind, written: NumpyDocString) -> list[str]:
    """Return what is proved of a learner, its theorem's page, and what that promises where it plays by default."""
    lines = ["## Bound", ""]
    if pages := theorems.theorems_of(name):
        lines += [f"See {theorems.theorem_links(pages)}.", ""]
    bound = getattr(kind, "bound", None)
    if bound is not None and "bound" in {
        key for one in kind.__mro__[:-1] if one.__module__ != "learners.strategic.base" for key in vars(one)
    }:
        lines += texts([(inspect.getdoc(bound) or "").partition("\n\n")[0].replace("Return ", "`bound` returns ", 1)])
    lines += texts(written["Notes"])
    body = [row for scenario_name in scenario_names() if (row := promised(name, kind, scenario_name))]
    lines += table(("scenario", "mistakes at most", "as printed"), body) if body else []
    return lines if len(lines) > 2 else [*lines, "None is known.", ""]


def promised(name: str, kind: Kind, scenario_name: str) -> tuple[str, str, str] | None:
    """Return what a learner's theorem promises in a scenario as it is by default; None where it promises nothing."""
    chosen = scenario(scenario_name)
    if chosen.game != kind.game or chosen.proved is None:
        return None
    try:
        learner = contestant(name, chosen).learner
    except ValueError:  # it is told too little
        return None
    bounds = [mistake_bound(learner, chosen, printed=printed) for printed in (False, True)]
    if bounds == [None, None]:
        return None
    shown = ["" if bound is None else f"{bound:,.0f}" for bound in bounds]
    return f"[{scenario_name}](../environments/{scenario_name}.md)", shown[0], shown[1]


def example_of(written: NumpyDocString) -> list[str]:
    """Return the example that the tests run."""
    text = written["Examples"]
    lines: list[str] = []
    inside = False
    for line in text:
        starts = line.startswith(">>>")
        if starts and not inside:
            lines += ["```pycon"]
            inside = True
        if inside and not line.strip():
            lines += ["```"]
            inside = False
        lines.append(line if inside else linked(line))
    return [*lines, *(["```"] if inside else []), ""]
