"""Which page speaks of which theorem, and of whose."""

from collections.abc import Iterable
from typing import NamedTuple

from learners.catalogue import all_learners


class Theorem(NamedTuple):
    """A page of ``docs/theorems``: what it is called, and whom and which game it is about."""

    title: str
    learners: tuple[str, ...]
    game: str = "strategic classification"


THEOREMS: dict[str, Theorem] = {}


def theorems_of(learner: str) -> list[str]:
    """Return the pages about a learner."""
    return [page for page, theorem in THEOREMS.items() if learner in theorem.learners]


def theorem_links(pages: Iterable[str]) -> str:
    """Return links to pages, from a page in another folder."""
    return ", ".join(f"[{THEOREMS[page].title}](../theorems/{page}.md)" for page in pages)


def of_game(title: str) -> list[str]:
    """Return lines that lead to what is proved of a game."""
    pages = [page for page, theorem in THEOREMS.items() if theorem.game == title]
    return [f"What is proved of its learners: {theorem_links(pages)}.", ""] if pages else []


def learner_link(name: str, label: str) -> str:
    """Return a link to a learner's page."""
    return f"[`{label}`](../learners/{name}.md)" if name in all_learners() else f"`{label}`"
