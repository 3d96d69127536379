"""``reproduce examples``: the paper's Examples 1 to 3 round by round, next to what it prints, and its figures."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from numpy.linalg import norm
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agents.foundation.pictures import require_matplotlib
from agents.populations.finite import FixedSequence
from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2State
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.report.layout import table
from strategic_env.reproduce.paper import EXAMPLES, Example, Said
from strategic_env.reproduce.result import SILENT, Reproduced, Request, drawn, number, same, vector, verdict
from strategic_env.reproduce.rounds import Played, play
from strategic_env.reproduce.statements import Statement, members_of, statements

ROUNDS = 2_000  # mistakes that go on until then are taken to be without end
COLUMNS = ("round", "true point", "report", "moved", "prediction", "label", "mistake", "surrogate", "w after")
COMPARED = ("the paper says", "")
SPARE = ("the paper says", "prediction", "label", "surrogate")  # in this order, where room is short


def reproduce(request: Request) -> Reproduced:
    """Play every example, compare it with the paper, and draw the figures.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Reproduced
        For each example the rounds of the learner that fails, those of the one that does not, and what else the paper
        states; five pictures. Unexpected is what differs from the paper for no reason that is known.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    DrawingFailed
        If it cannot be imported otherwise.
    """
    require_matplotlib()
    from strategic_env.reproduce import figures

    pages: list[RenderableType] = []
    unexpected: list[str] = []
    games: dict[str, list[Played]] = {}
    for example in EXAMPLES:
        chosen = Scenario.named(example.scenario)
        lines = list(islice(play(example.fails.build(chosen), chosen.setting), ROUNDS))
        stated = statements(example, chosen, lines)
        agreeing = [agrees(line, example.said(at)) for at, line in enumerate(lines)]
        pages += [_failure(example, chosen, lines, agreeing), *_solution(example, chosen), _statements(example, stated)]
        differing = [at for at, one in enumerate(agreeing, start=1) if one is False]
        unexpected += [f"{example.name}: round {at} differs from the paper" for at in differing]
        unexpected += [f"{example.name}: {one.text}: {one.here}" for one in stated if not one.agrees and not one.reason]
        games[example.scenario] = lines
    return Reproduced(pages, drawn(lambda: figures.draw(games, request.out), unexpected), unexpected)


def agrees(line: Played, said: Said) -> bool | None:
    """Tell whether a round is as the paper says; None where it says nothing."""
    here = Said(
        line.round.report, line.round.moved, 1 if line.round.accepted else -1, line.round.mistake, line.surrogate,
        line.weights,
    )  # fmt: skip
    pairs = [(found, printed) for found, printed in zip(here, said, strict=True) if printed is not None]
    return all(found is not None and same(found, printed) for found, printed in pairs) if pairs else None


def _failure(example: Example, chosen: Scenario, lines: Sequence[Played], agreeing: Sequence[bool | None]) -> Table:
    """Return the first rounds of the learner that fails, next to what the paper says of them."""
    page = table(f"{example.name}: {example.fails.name}, {_cost(chosen)}", [*COLUMNS, *COMPARED], spare=SPARE)
    for at, line in enumerate(lines[: example.shown]):
        page.add_row(*_cells(at, example, line), _words(example.said(at)), verdict(agreeing[at]))
    page.caption = Text(f"{sum(line.round.mistake for line in lines):,} mistakes in {len(lines):,} rounds")
    told = [one for one in agreeing if one is not None]
    if told:
        page.caption.append(f"; {sum(told):,} of {len(told):,} that the paper speaks of agree with it")
    if lines[0].weights.size > chosen.setting.dim:
        page.caption.append("\nthe last number of w is the bias")
    return page


def _cost(chosen: Scenario) -> str:
    alpha = chosen.setting.cost.alpha
    return f"alpha = {vector(alpha) if alpha.ndim else number(float(alpha))}"


def _solution(example: Example, chosen: Scenario) -> list[Table]:
    """Return rounds of the learner that solves an example, if there is one, until a pass without a mistake."""
    if example.solves is None:
        return []
    population = members_of(chosen)
    individuals = list(zip(population.features.tolist(), population.labels.tolist(), strict=True))
    setting = replace(chosen.setting, population=FixedSequence([], individuals))
    learner, size = example.solves.build(chosen), len(individuals)
    lines = list(until_a_clean_pass(play(learner, setting), size))
    title = f"{example.name}: {example.solves.name}, {_cost(chosen)}, {', '.join(example.members)} over and over"
    page = table(title, COLUMNS, spare=SPARE)
    shown = range(len(lines)) if len(lines) <= 3 * size else [*range(2 * size), *range(len(lines) - size, len(lines))]
    for at in shown:
        page.add_row(*_cells(at, example, lines[at]), end_section=at == 2 * size - 1 and len(shown) < len(lines))
    mistakes = sum(line.round.mistake for line in lines)
    notes = [
        f"mistakes: {mistakes:,}; pass {len(lines) // size:,} is without",
        _bounds(learner, chosen, example.no_bound),
    ]
    page.caption = Text("\n".join([*notes, *_origins(lines[-1].state)]))
    return [page]


def _bounds(learner: Learner[Any], chosen: Scenario, otherwise: str) -> str:
    """Put the bounds that apply in words, or why none does."""
    assert chosen.truth is not None
    printed, sharpened = learner.bound(chosen.truth, printed=True), learner.bound(chosen.truth)
    if printed is None or sharpened is None:
        return f"no bound applies: {otherwise}"
    return f"bound: {number(printed)} as printed, {number(sharpened)} sharpened"


def _origins(state: Any) -> list[str]:
    """Say where Algorithm 5 has looked for an origin."""
    if not isinstance(state, BiasedL2State):
        return []
    share = float(norm(state.origin[0] - state.negative[0]) / norm(state.positive[0] - state.negative[0]))
    return [
        "w is that around the origin p, on the segment from A to B; the first two rounds found these two",
        f"origins given up: {state.guesses[0]}; kept: p = {vector(state.origin[0])}, lambda = {number(share)}",
    ]


def until_a_clean_pass(rounds: Iterator[Played], size: int) -> Iterator[Played]:
    """Yield rounds up to the first pass over ``size`` individuals without a mistake."""
    while True:
        one_pass = list(islice(rounds, size))
        yield from one_pass
        if not any(line.round.mistake for line in one_pass):
            return


def _cells(at: int, example: Example, line: Played) -> list[str]:
    played = line.round
    return [
        f"{at + 1:,}",
        f"{example.members[line.member]} {vector(played.true_features)}",
        vector(played.report),
        "yes" if played.moved else "no",
        "+1" if played.accepted else "-1",
        f"{played.true_label:+.0f}",
        "yes" if played.mistake else "no",
        SILENT if line.surrogate is None else vector(line.surrogate),
        vector(line.weights),
    ]


def _words(said: Said) -> str:
    """Put what the paper says of a round in a few words."""
    words = []
    if said.moved is not None:
        words.append(f"moves to {vector(said.report)}" if said.moved and said.report is not None else "stays")
    if said.prediction is not None:
        words.append(f"{said.prediction:+d}" + (", a mistake" if said.mistake else ""))
    learned = [] if said.surrogate is None else [f"x~ = {vector(said.surrogate)}"]
    learned += [] if said.weights is None else [f"w = {vector(said.weights)}"]
    return "\n".join("; ".join(part) for part in (words, learned) if part) or SILENT


def _statements(example: Example, stated: Sequence[Statement]) -> Table:
    columns = ["statement", "paper", "here", ""]
    page = table(f"{example.name}: what else the paper states", columns)
    for one in stated:
        page.add_row(one.text, one.paper, one.here + (f" ({one.reason})" if one.reason else ""), verdict(one.agrees))
    return page
