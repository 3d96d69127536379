"""A page for each registered environment, made from its scenario, its spaces and the docstring of its class."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import gymnasium
import numpy as np
from gymnasium import Env, spaces
from numpydoc.docscrape import ClassDoc
from sphinx.errors import ExtensionError

from agents.responses.individuals import BestResponse
from sitemaker import pictures, specification, theorems
from sitemaker.markdown import linked, table, value
from sitemaker.specification import LEVELS, section
from strategic_env.bench.contestants import Contestant, all_contestants, mistake_bound
from strategic_env.cli.listing import forms_of
from strategic_env.games.registration import GAMES, environment_id, game_of, scenario_names
from strategic_env.games.scenarios import scenario
from strategic_env.games.shared.scenario import BenchScenario

FOLDER = "environments"
KINDS = ("a ", "an ", "needs ", "null", "one of ")  # how words on the values of an option begin


def environment_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page."""
    yield f"{FOLDER}/index", index_page()
    for name in scenario_names():
        yield f"{FOLDER}/{name}", environment_page(name)


def index_page() -> str:
    """Return the page that leads to all environments, by their games."""
    lines = [
        "# Environments",
        "",
        "Every scenario is a Gymnasium environment; `import strategic_env` registers all.",
        "",
    ]
    for game in GAMES:
        lines += [f"## {game.title.capitalize()}"]
        lines += table(
            ("scenario", "what it is"), ((f"[{name}]({name}.md)", line) for name, line in game.scenarios.items())
        )
        lines += ["```{toctree}", ":hidden:", *game.scenarios, "```", ""]
    return "\n".join(lines)


def environment_page(name: str) -> str:
    """Return the page of a scenario; the build stops where its docstring's tables are not those of its spaces."""
    chosen = scenario(name)
    games = {level: gymnasium.make(environment_id(name), info_level=level) for level in LEVELS}
    kind = type(games["full"].unwrapped)
    specification.check(name, games, sizes(chosen))
    parts = [
        head(name, kind),
        [f"```{{figure}} images/{name}.png", f":alt: A round of {name}", "", pictures.caption(chosen), "```", ""],
        ["## The game", "", text_of(kind, "Description"), "", *answers_of(chosen)],
        spaces_of(games["full"], kind),
        ["## Rewards", "", text_of(kind, "Rewards"), "", "## Episode end", "", text_of(kind, "Episode End"), ""],
        ["## Info", "", text_of(kind, "Info"), ""],
        options_of(name, chosen, kind),
        told_of(chosen),
        theorems_of(chosen),
        ["## Version history", "", text_of(kind, "Version History"), ""],
    ]
    return "\n".join(line for part in parts for line in part)


def answers_of(chosen: BenchScenario) -> list[str]:
    """Say how individuals answer, where they do not best-respond."""
    individual = getattr(chosen.setting, "individual", None)
    if individual is None or type(individual) is BestResponse:
        return []
    return [f"Individuals do not best-respond here, but are `{individual!r}`: [other responses](../responses.md).", ""]


def text_of(kind: type, heading: str) -> str:
    """Return a section of a class docstring for a page.

    Raises
    ------
    ExtensionError
        If there is none.
    """
    if not section(kind, heading):
        raise ExtensionError(f"the docstring of {kind.__name__} needs a section '## {heading}'")
    return linked(section(kind, heading))


def sizes(chosen: BenchScenario) -> dict[str, int]:
    """Return what the letters stand for in the shapes of a class docstring."""
    graph = getattr(chosen.setting, "graph", None)
    return {"d": chosen.setting.dim} | ({} if graph is None else {"K": graph.classes, "n": graph.nodes})


def head(name: str, kind: type) -> list[str]:
    """Return the title, what the scenario is, and how to make it and to let learners play."""
    line = scenario_names()[name]
    return [
        f"# {name}", "", f"{line[0].upper()}{line[1:]}.", "",
        "```python", "import gymnasium", "import strategic_env", "",
        f'env = gymnasium.make("{environment_id(name)}")', "```", "",
        "```bash", f"strategic-env run {name}", "```", "",
        f"An environment of {game_of(name).title}; its class is {{named}}`strategic_env.{kind.__name__}`.", "",
    ]  # fmt: skip


def spaces_of(env: Env[Any, Any], kind: type) -> list[str]:
    """Return the spaces of an environment, with the meanings that its class docstring gives to their entries."""
    space = env.observation_space
    assert isinstance(space, spaces.Dict)
    meanings = specification.observed(kind)
    body = [(f"`{key}`", f"`{part.shape}`", limits(part), meanings[key][1]) for key, part in space.items()]
    return [
        "## Spaces", "", f"Action: `{short(env.action_space)}`.", "", text_of(kind, "Action Space"), "",
        "Observation: a `Dict` of float64 boxes.", *table(("entry", "shape", "from, to", "what"), body),
        '`observation="flat"` gives the same numbers in this order as one float32 vector.', "",
    ]  # fmt: skip


def short(space: spaces.Space[Any]) -> str:
    """Return a space in a line."""
    if isinstance(space, spaces.Box):
        return f"Box({space.low.min():g}, {space.high.max():g}, {space.shape}, {space.dtype})"
    return str(space)


def limits(part: spaces.Space[Any]) -> str:
    """Return the smallest and the largest number that an entry may hold."""
    assert isinstance(part, spaces.Box)
    return f"{np.min(part.low):.4g}, {np.max(part.high):.4g}"


def options_of(name: str, chosen: BenchScenario, kind: type) -> list[str]:
    """Return the options that `gymnasium.make` and the command line take, with their defaults."""
    forms = {**chosen.game_options} | forms_of(chosen.builders[name])
    known = meanings_of(chosen)
    own = [(f"`{key}`", value(default), what(key, forms, known)) for key, default in chosen.defaults(name).items()]
    rows = specification.arguments(kind)
    missing = set(chosen.environment_options) - set(rows)
    if missing:
        raise ExtensionError(f"{name}: the arguments of {kind.__name__} have no row for {sorted(missing)}")
    more = [
        (rows[key]["name"], rows[key]["default"], f"{rows[key]['what']} ({rows[key]['kind']})")
        for key in chosen.environment_options
    ]
    head = ("option", "default", "what")
    return [
        "## Options", "", f"`strategic-env run {name} --set KEY=VALUE` and `gymnasium.make` take:",
        *table(head, own), "`gymnasium.make` takes besides:", *table(head, more),
    ]  # fmt: skip


def what(key: str, forms: dict[str, str], known: dict[str, str]) -> str:
    """Return what is known of an option: what its population or cost says of it, and the form of its values."""
    said, form = known.get(key, ""), forms.get(key, "")
    if said and form.startswith(KINDS):
        return linked(f"{said}: {form}")
    return linked(said or form)


@cache
def parameters_of(kind: type) -> dict[str, str]:
    """Return what a class says of each of its parameters, and of its constructors'."""
    found = {parameter.name: " ".join(parameter.desc) for parameter in ClassDoc(kind)["Parameters"]}
    return {name: text.removesuffix(".") for name, text in found.items()}


def meanings_of(chosen: BenchScenario) -> dict[str, str]:
    """Return what a scenario's parts say of the parameters that options have in common with them."""
    setting = chosen.setting
    parts = [getattr(setting, name) for name in ("population", "cost") if hasattr(setting, name)]
    return {name: text for part in parts for name, text in parameters_of(type(part)).items()}


def told_of(chosen: BenchScenario) -> list[str]:
    """Return what a learner is told."""
    body = [
        (f"`{key}`", value(told) if not hasattr(told, "adjacency") else f"`{told!r}`")
        for key, told in chosen.knowledge.items()
    ]
    return ["## What a learner is told", *table(("name", "with the default options"), body)]


def theorems_of(chosen: BenchScenario) -> list[str]:
    """Return who plays by default, with the theorem of each and what it promises here."""
    contestants, _ = all_contestants(chosen)
    rows = [bound_row(contestant, chosen) for contestant in contestants]
    proved = [row for row in rows if row is not None]
    names = ", ".join(theorems.learner_link(one.name, one.label) for one in contestants)
    lines = ["## Theorems and learners", ""]
    if proved:
        head = ("learner", "theorem", "mistakes at most", "as printed")
        lines += ["With the default options:", *table(head, proved)]
    else:
        why = chosen.why_no_bound()
        lines += [f"{why[0].upper()}{why[1:]}.", ""]
        lines += theorems.of_game(game_of(chosen.name).title)
    return [*lines, f"By default play {names}.", ""]


def bound_row(contestant: Contestant, chosen: BenchScenario) -> tuple[str, ...] | None:
    """Return what a learner's theorem promises; None where it promises nothing."""
    bounds = [mistake_bound(contestant.learner, chosen, printed=printed) for printed in (False, True)]
    if bounds == [None, None]:
        return None
    shown = ["" if bound is None else f"{bound:,.0f}" for bound in bounds]
    return (
        theorems.learner_link(contestant.name, contestant.label),
        theorems.theorem_links(theorems.theorems_of(contestant.name)),
        *shown,
    )
