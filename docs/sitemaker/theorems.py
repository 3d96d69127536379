"""Which page speaks of which theorem, and of whose."""

from collections.abc import Iterable
from typing import NamedTuple

from learners.catalogue import all_learners


class Theorem(NamedTuple):
    """A page of ``docs/theorems``: what it is called, and whom and which game it is about."""

    title: str
    learners: tuple[str, ...]
    game: str = "strategic classification"


THEOREMS = {
    "theorem_1": Theorem("Theorem 1", ("strategic-perceptron-l2",)),
    "theorem_2": Theorem("Theorem 2", ("strategic-perceptron-l1",)),
    "theorem_3": Theorem("Theorem 3", ("unknown-cost-l2", "unknown-margin-l2")),
    "theorem_4": Theorem("Theorem 4", ("biased-l2",)),
    "estimated_reach": Theorem("Propositions 1 and 2, Corollary 1", ("strategic-perceptron-l2",)),
    "one_direction": Theorem("Section 5.2", ("unknown-cost-l1-single",)),
    "l1_with_intercept": Theorem("Section 7, l1 costs", ("biased-l1",)),
    "max_margin": Theorem("Maximum-margin learners", ("strategic-max-margin", "gradient-max-margin")),
    "perceptron": Theorem("The Perceptron", ("perceptron", "margin-perceptron")),
    "gappletron": Theorem("Gappletron", ("gappletron", "gaptron"), "multiclass classification"),
    "centres": Theorem(
        "Nearest centres", ("two-centres", "k-centres", "density-centres", "second-order-centres"), "nearest centres"
    ),
    "search": Theorem("Contextual search", ("contextual-search",), "contextual search"),
}


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
