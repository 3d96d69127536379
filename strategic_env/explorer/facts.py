"""What there is to say of a run beside its log: how hard the points are, what is proved, what has been found."""

import math
from typing import NamedTuple

from agents.foundation.typing import Float
from learners.separators import margins
from learners.strategic.assumptions import assumptions
from strategic_env.bench.contestants import mistake_bound
from strategic_env.bench.encoding import finite
from strategic_env.explorer.session import Session
from strategic_env.explorer.words import fraction, many, root, vector
from strategic_env.reproduce.result import number

HOLDS, FAILS = "✓", "✗"


class Fact(NamedTuple):
    """A card: its name, what it says, and a note."""

    name: str
    value: str
    note: str = ""


class Bounds(NamedTuple):
    """The theorem's bound on mistakes as printed and sharpened; None where none applies."""

    printed: float | None
    sharpened: float | None

    @property
    def shown(self) -> float | None:
        """The sharper one."""
        return self.printed if self.sharpened is None else self.sharpened


def bounds_of(session: Session) -> Bounds:
    """Return what bounds the mistakes of a run."""
    found = [mistake_bound(session.learner, session.scenario, printed=printed) for printed in (True, False)]
    return Bounds(*(None if bound is None else finite(bound) for bound in found))


class Facts:
    """What does not change while a run is walked, found once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        population = session.scenario.setting.population
        self.radius = population.radius
        sample = population.features, population.labels  # type: ignore[attr-defined]  # of given points
        self.margin, self.biased_margin = (_margin(*sample, bias) for bias in (False, True))
        self.bounds = bounds_of(session)

    def of_points(self) -> list[Fact]:
        """Return how hard the points are."""
        through, anywhere = "best margin ρ", "best margin with a bias"
        none = "none", "no line separates the labels"
        return [
            Fact("R", root(self.radius), "the longest point"),
            Fact(through, *(none if self.margin is None else (root(self.margin), "of any line through the origin"))),
            Fact(anywhere, *(none if self.biased_margin is None else (root(self.biased_margin), "of any line"))),
            self._bound(),
        ]

    def _bound(self) -> Fact:
        printed, sharpened = self.bounds
        if self.bounds.shown is None:
            return Fact("bound on mistakes", "none", _why_none(self._session))
        if printed is None or sharpened is None or math.isclose(printed, sharpened):
            lecture = type(self._session.learner).name == "perceptron" and not self._session.setup.bias
            return Fact("bound R²/ρ²" if lecture else "bound on mistakes", number(self.bounds.shown))
        return Fact("bound on mistakes", number(sharpened), f"sharpened; {number(printed)} as printed")

    def of_run(self) -> list[Fact]:
        """Return what has happened up to the round that is shown."""
        session = self._session
        tally, last = session.tally, session.last
        ties = "ties y⟨w, x⟩ = 0 count" if session.counts_ties else ""
        learned = f"learned {many(tally.updates, 'time')}" if tally.updates != tally.mistakes else ties
        facts = [
            Fact("mistakes", f"{tally.mistakes:,}", learned),
            Fact("sweep", f"{session.place(session.shown - 1)[0] if session.shown else 0:,}", _state(session)),
        ]
        if not session.setup.nobody_moves:
            facts.append(Fact("manipulators", f"{tally.moved:,}", f"moved, in {many(session.shown, 'round')}"))
        facts += [Fact(name, fraction(value)) for name, value in (last.findings.items() if last else ())]
        return facts

    def proof(self) -> list[str]:
        """Return the assumptions of the theorem with a mark each, and what the certificate says."""
        session = self._session
        truth, lines = session.scenario.proved, []
        if truth is None:
            return [f"{FAILS} {session.scenario.why_no_bound().removeprefix('no bounds: ')}"]
        found = assumptions(session.learner, truth)
        lines = [f"{HOLDS if one.holds else FAILS} {one.sentence}" for one in found]
        if not found:
            return ["no theorem bounds this learner's mistakes"]
        if session.game.certificate is None:
            return lines
        broken = session.last.violation if session.last else None
        if broken is None:
            claims = f"{HOLDS} the proof's invariants hold in {many(session.shown, 'round')}"
            return [*lines, claims]
        numbers = ", ".join(f"{name} {fraction(value)}" for name, value in broken.details.items())
        return [*lines, f"{FAILS} the proof's invariant {broken.invariant} fails in round {broken.round}: {numbers}"]


def _margin(features: Float, labels: Float, bias: bool) -> float | None:
    """Return the largest margin; None where no line separates the labels."""
    best = margins.max_margin(features, labels, bias=bias)
    return None if best is None else margins.margin(best[:-1], float(best[-1]), features, labels)


def _why_none(session: Session) -> str:
    if session.scenario.proved is None:
        return session.scenario.why_no_bound().removeprefix("no bounds: ")
    failing = [one.sentence for one in assumptions(session.learner, session.scenario.proved) if not one.holds]
    return f"assumes that {'; '.join(failing)}" if failing else "no theorem of this learner applies"


def _state(session: Session) -> str:
    if session.clean:
        return "is clean: stop"
    if session.at_limit:
        return "no more rounds are kept"
    return f"{many(session.shown, 'round')} so far"


def sentence(session: Session) -> str:
    """Say in one line what the last round that is shown was."""
    last = session.last
    if last is None:
        return "Nobody has arrived yet: press Step."
    if session.clean:
        sweeps = session.place(session.shown - 1)[0]
        weights = vector(last.weights, last.intercept)
        mistakes = many(session.tally.mistakes, "mistake")
        return f"Sweep {sweeps} is clean: {mistakes}, w = {weights}."
    played, label = last.round, "+" if last.round.true_label > 0.0 else "−"
    moved = f" moves to {vector(played.report)} and" if played.moved else ""
    verdict = f"is {'accepted' if played.accepted else 'rejected'}, {'a mistake' if played.mistake else 'correct'}"
    if session.is_mistake(last) and not played.mistake:
        verdict = "has y⟨w, x⟩ = 0, and a tie counts as a mistake"
    after = f": w becomes {vector(last.weights, last.intercept)}" if last.updated else ""
    return f"Round {session.shown:,}: x{last.member + 1} ({label}){moved} {verdict}{after}."
