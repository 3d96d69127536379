"""The part of the site that is made from the code, as an extension of Sphinx.

Before a build reads any page, pages about environments, learners and modules are written next to those in ``docs``;
what is wrong with them stops the build in one line.
"""

from typing import Any

from sphinx.application import Sphinx

from sitemaker import docstrings, front_page, links, pages, references, search, theorem_pictures


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect every step to the moment of the build that it belongs to."""
    references.setup(app)
    app.connect("builder-inited", pages.write_all)
    app.connect("source-read", front_page.place_the_rest)
    app.connect("source-read", links.relink)
    app.connect("source-read", search.index)
    app.connect("source-read", theorem_pictures.place)
    app.connect("autodoc-process-docstring", docstrings.prepare, priority=400)  # before numpydoc reads the sections
    app.connect("autodoc-skip-member", docstrings.skip)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
