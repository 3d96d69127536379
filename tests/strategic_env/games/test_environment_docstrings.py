"""What the docstrings of environments say in tables is what the environments take, show and tell."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from agents import GaussianMixture, HiddenCentres, HiddenPoint, L2Cost, Separable
from learners import FeedbackGraph
from strategic_env import (
    ContextualSearchEnv,
    ContextualSearchVectorEnv,
    NearestCentreEnv,
    NearestCentreVectorEnv,
    OnlineMulticlassEnv,
    OnlineMulticlassVectorEnv,
    StrategicClassificationEnv,
    StrategicClassificationVectorEnv,
)
from strategic_env.games.multiclass.description import MULTICLASS
from strategic_env.games.registration import environment_id
from strategic_env.games.strategic.description import STRATEGIC
from strategic_env.multi_agent import (
    StrategicClassificationAECEnv,
    StrategicClassificationParallelEnv,
    env,
    parallel_env,
)

Row = dict[str, str]
Documented = Callable[..., Any]
CLASSES = 4


def strategic(kind: Documented, dim: int = 3) -> Documented:
    return partial(kind, Separable(dim), L2Cost(0.3))


def multiclass(kind: Documented, dim: int = 3, graph: str = "bandit") -> Documented:
    return partial(kind, GaussianMixture(dim, CLASSES), FeedbackGraph.named(graph, CLASSES))


def centres(kind: Documented, dim: int = 3) -> Documented:
    return partial(kind, HiddenCentres(dim, CLASSES))


def search(kind: Documented, dim: int = 3) -> Documented:
    return partial(kind, HiddenPoint(dim))


SINGLE = {
    StrategicClassificationEnv: strategic,
    OnlineMulticlassEnv: multiclass,
    NearestCentreEnv: centres,
    ContextualSearchEnv: search,
}
VECTOR = {
    StrategicClassificationVectorEnv: strategic,
    OnlineMulticlassVectorEnv: multiclass,
    NearestCentreVectorEnv: centres,
    ContextualSearchVectorEnv: search,
}
PAIRS = [*zip(SINGLE, VECTOR, strict=True)]
MULTI_AGENT = (StrategicClassificationAECEnv, StrategicClassificationParallelEnv)
MAKERS: dict[Documented, Documented] = {
    **{kind: made(kind) for kind, made in (SINGLE | VECTOR).items()},
    **{kind: partial(kind, "KnownL2") for kind in (*MULTI_AGENT, env, parallel_env)},
}
IDS: dict[type, str] = {
    **dict.fromkeys((StrategicClassificationEnv, StrategicClassificationVectorEnv), environment_id("KnownL2")),
    **dict.fromkeys((OnlineMulticlassEnv, OnlineMulticlassVectorEnv), environment_id("Bandit")),
    **dict.fromkeys((NearestCentreEnv, NearestCentreVectorEnv), environment_id("NearestNeighbor")),
    **dict.fromkeys((ContextualSearchEnv, ContextualSearchVectorEnv), environment_id("ContextualSearch")),
    **{kind: kind.metadata["name"] for kind in MULTI_AGENT},
}
documented = pytest.mark.parametrize("kind", MAKERS, ids=lambda kind: kind.__name__)


def section(kind: Documented, heading: str) -> str:
    """Return the text below a heading, up to the next one."""
    text = inspect.getdoc(kind) or ""
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |^\w+\n---|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{kind.__name__} has no section {heading!r}"
    return found[1]


def table(text: str) -> list[Row]:
    """Return the rows of a table; an empty cell at the left repeats the one above."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line[:1] == "|"]
    if not lines:
        return []
    head, rule, *body = lines
    assert set("".join(rule)) <= set("- ")
    for above, below in zip(body, body[1:], strict=False):
        below[0] = below[0] or above[0]
    return [dict(zip(head, cells, strict=True)) for cells in body]


def codes(cell: str) -> list[str]:
    """Return what stands in double backquotes."""
    return re.findall(r"``(.+?)``", cell)


def words(cell: str) -> list[str]:
    """Return the quoted values in double backquotes."""
    return [code.strip('"') for code in codes(cell) if code[0] == '"']


def referred(kind: Documented) -> Documented | None:
    """Return whose arguments are to be read, too."""
    found = re.search(r"Those of `([\w.]+)`", section(kind, "Arguments"))
    return found and pkgutil.resolve_name(found[1])


def arguments(kind: Documented) -> dict[str, Row]:
    """Return the rows of arguments by name, those included that a docstring refers to."""
    other = referred(kind)
    own = {codes(row["name"])[0]: row for row in table(section(kind, "Arguments"))}
    return ({} if other is None else arguments(other)) | own


def names(kind: Documented) -> dict[str, inspect.Parameter]:
    """Return the parameters of a signature as tables name them."""
    return {str(one).partition("=")[0].partition(":")[0]: one for one in inspect.signature(kind).parameters.values()}


def said(row: Row) -> object:
    """Return the default that a row says."""
    found = codes(row["default"])
    return ast.literal_eval(found[0]) if found else row["default"]


def actual(parameter: inspect.Parameter) -> object:
    """Return the default as a row should say it."""
    if parameter.kind is parameter.VAR_KEYWORD:
        return ""
    default = parameter.default
    return "required" if default is parameter.empty else getattr(default, "value", default)


@documented
def test_every_argument_has_a_row_with_its_default(kind: Documented) -> None:
    rows, parameters = arguments(kind), names(kind)
    told = {name: said(rows[name]) for name in parameters if name in rows}
    assert told == {name: actual(parameter) for name, parameter in parameters.items()}


@documented
def test_every_row_is_an_argument(kind: Documented) -> None:
    taken = set(names(kind))
    if "**options" in taken and (other := referred(kind)):
        taken |= set(names(other))
    assert set(arguments(kind)) == taken


@documented
def test_the_values_that_a_row_names_are_those_allowed(kind: Documented) -> None:
    for name, row in arguments(kind).items():
        if words(row["kind"]):
            with pytest.raises(ValueError, match=f"{name} must be one of ") as refused:
                MAKERS[kind](**{name: "nonsense"})
            allowed = str(refused.value).partition(", got ")[0]
            assert sorted(re.findall("'(.+?)'", allowed)) == sorted(words(row["kind"])), name


@documented
def test_the_least_value_that_a_row_names_is_the_least_allowed(kind: Documented) -> None:
    for name, row in arguments(kind).items():
        if found := re.search(r"at least (\d+)", row["kind"]):
            least = int(found[1])
            MAKERS[kind](**{name: least})
            with pytest.raises(ValueError, match=f"{name} must be at least {least}, got {least - 1}"):
                MAKERS[kind](**{name: least - 1})


@pytest.mark.parametrize("kind", [*SINGLE, *VECTOR, *MULTI_AGENT], ids=lambda kind: kind.__name__)
def test_render_modes_are_those_of_the_metadata(kind: Any) -> None:
    rows = arguments(kind)
    assert (words(rows["render_mode"]["kind"]) if "render_mode" in rows else []) == kind.metadata["render_modes"]


@pytest.mark.parametrize("kind", SINGLE, ids=lambda kind: kind.__name__)
def test_the_rewards_described_are_those_allowed(kind: Documented) -> None:
    row = arguments(kind).get("reward")
    assert set(words(section(kind, "Rewards"))) == set(words(row["kind"]) if row else ())


@pytest.mark.parametrize("kind", IDS, ids=lambda kind: kind.__name__)
def test_the_version_history_ends_with_the_version_of_the_ids(kind: type) -> None:
    versions = re.findall(r"^\* (v\d+): ", section(kind, "Version History"), re.MULTILINE)
    assert versions == [f"v{number}" for number in range(len(versions))]
    assert IDS[kind].endswith(versions[-1])


def test_all_ids_have_the_same_version() -> None:
    found = {environment_id(name).rpartition("-")[2] for name in (*STRATEGIC, *MULTICLASS)}
    assert found == {"v0"} == {name.rpartition("-")[2] for name in gymnasium.registry if "strategic_env/" in name}


# Spaces.


def shapes(cell: str, **sizes: int) -> list[tuple[int, ...]]:
    """Return the shapes that a cell allows, for these sizes."""
    return [eval(code, {}, sizes) for code in codes(cell)]


@pytest.mark.parametrize("dim", [3, 5])
@pytest.mark.parametrize(("single", "vector"), PAIRS, ids=["strategic", "multiclass", "centres", "search"])
def test_rows_of_observations_are_the_entries_of_the_space(single: Any, vector: Any, dim: int) -> None:
    rows = table(section(single, "Observation Space"))
    told = {codes(row["key"])[0]: shapes(row["shape"], d=dim, K=CLASSES) for row in rows}
    for space in (
        SINGLE[single](single, dim)().observation_space,
        VECTOR[vector](vector, dim)().single_observation_space,
    ):
        assert told == {key: [part.shape] for key, part in space.items()}
    flat = SINGLE[single](single, dim)(observation="flat").observation_space
    assert flat.shape == (sum(shape[0] for (shape,) in told.values()),)
    assert [*told] == [*space], "a flat observation has this order"


@pytest.mark.parametrize("dim", [3, 5])
def test_the_action_space_is_the_one_described(dim: int) -> None:
    def box(low: int, high: int, shape: tuple[int, ...], dtype: type) -> spaces.Box:
        return spaces.Box(low, high, shape, dtype)  # type: ignore[arg-type]

    (described, *_) = codes(section(StrategicClassificationEnv, "Action Space"))
    expected = eval(described, {"Box": box, "float64": np.float64, "d": dim})
    assert strategic(StrategicClassificationEnv, dim)().action_space == expected
    (described, *_) = codes(section(OnlineMulticlassEnv, "Action Space"))
    for graph, nodes in (("bandit", CLASSES), ("label_efficient", CLASSES + 1)):
        expected = eval(described, {"Discrete": spaces.Discrete, "n": nodes})
        assert multiclass(OnlineMulticlassEnv, dim, graph)().action_space == expected


def by_agent(rows: list[Row]) -> dict[tuple[str, str], Row]:
    return {(codes(row["agent"])[0], codes(row["key"])[0]): row for row in rows}


@pytest.mark.parametrize("dim", [3, 5])
@pytest.mark.parametrize("scenario", ["KnownL2", "KnownL1"])
@pytest.mark.parametrize("individuals", [0, 1, 2], ids=["turns", "one", "two"])
def test_rows_of_agents_are_the_entries_of_their_spaces(individuals: int, scenario: str, dim: int) -> None:
    rows = by_agent(table(section(StrategicClassificationAECEnv, "Observation Spaces")))
    game: Any
    if individuals:
        game = StrategicClassificationParallelEnv(scenario, individuals=individuals, dim=dim)
        rows = {key: row for key, row in rows.items() if key[0] != "nature_0"}
    else:
        game = StrategicClassificationAECEnv(scenario, nature=True, dim=dim)
    if individuals > 1:
        rows |= by_agent(table(section(StrategicClassificationParallelEnv, "Spaces")))
    pool = 0 if individuals else int(game.action_space("nature_0").n)
    space = {(agent, key): box for agent in agents_of(game) for key, box in game.observation_space(agent).items()}
    assert rows.keys() == space.keys()
    for key, row in rows.items():
        assert space[key].shape in shapes(row["shape"], d=dim, M=pool, n=individuals), key


def agents_of(game: Any) -> list[str]:
    """Return everybody at the table, one individual for all."""
    return [agent for agent in game.possible_agents if agent in ("learner_0", "nature_0", "individual_0")]


# Infos.


def told_keys(kind: Documented, level: str) -> set[str]:
    rows = [row for row in table(section(kind, "Info")) if words(row["``info_level``"]) == [level]]
    assert rows
    return {key for row in rows for key in codes(row["keys"])}


@pytest.mark.parametrize("level", ["none", "outcome", "full"])
@pytest.mark.parametrize(("single", "vector"), PAIRS, ids=["strategic", "multiclass", "centres", "search"])
def test_infos_hold_the_keys_of_their_level(single: Any, vector: Any, level: str) -> None:
    keys = told_keys(single, level)
    one, many = SINGLE[single](single)(info_level=level), VECTOR[vector](vector)(info_level=level)
    for game, expected in ((one, keys), (many, keys | {f"_{key}" for key in keys})):
        assert game.reset(seed=0)[1] == {}
        assert set(game.step(game.action_space.sample())[4]) == expected


@pytest.mark.parametrize("kind", SINGLE, ids=lambda kind: kind.__name__)
def test_every_level_of_infos_has_a_row(kind: Documented) -> None:
    levels = {words(row["``info_level``"])[0] for row in table(section(kind, "Info"))}
    assert sorted(levels) == sorted(words(arguments(kind)["info_level"]["kind"]))


def test_infos_of_agents_hold_the_keys_of_their_rows() -> None:
    turns, together = StrategicClassificationAECEnv(nature=True), StrategicClassificationParallelEnv(individuals=2)
    turns.reset(seed=0)
    _, infos = together.reset(seed=0)
    assert {(agent, key) for agent, info in turns.infos.items() for key in info} == set(infos_of(type(turns)))
    seats = {(f"individual_{k}", key) for k in range(2) for _, key in infos_of(type(together))}
    assert {(agent, key) for agent, info in infos.items() for key in info} == seats


def infos_of(kind: Documented) -> dict[tuple[str, str], Row]:
    return by_agent(table(section(kind, "Info")))
