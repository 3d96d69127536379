"""What people type who look for a page that says it in other words: entries of the index, which the search knows."""

from collections.abc import Iterable

from sphinx.application import Sphinx

WORDS = {
    "your_data": ("own data", "bring own data", "CSV file", "pandas"),
    "sweeps": ("Slurm", "cluster", "many machines"),
    "citing": ("cite", "how to cite", "citation", "BibTeX"),
    "theorems/index": ("theorem word for word", "counterexample"),
    "the_paper": ("Strategic Perceptron",),
    "evaluation": ("confidence interval", "compare learners"),
    "many_games": ("vector environment", "Stable-Baselines3"),
    "multi_agent": ("PettingZoo",),
}


def index(app: Sphinx, name: str, source: list[str]) -> None:
    """Add a page's words below its title."""
    if name in WORDS:
        title, _, rest = source[0].partition("\n")
        source[0] = "\n".join([title, "", *entries(WORDS[name]), rest])


def entries(words: Iterable[str]) -> list[str]:
    """Return the lines that name words in the index."""
    return [line for word in words for line in (f"```{{index}} ! {word}", "```", "")]
