"""Rows on classification of many labels: fused Gappletron, bandit feedback, K = 9, d = 80."""

from functools import partial

from agents.foundation.streams import game_key
from agents.populations.labelled import Prototypes
from benchmarks.bandit import FORMS, play_squarecb
from benchmarks.fused import PythonLoop
from benchmarks.libraries import installed
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, alternate
from learners.multiclass.gappletron import Gappletron
from strategic_env import rollout, scenario
from strategic_env.games.multiclass.scenario import MulticlassScenario

CLASSES, DIM, NOISE = 9, 80, 0.05
GAMES, ROUNDS, LIBRARY_ROUNDS = 16, 10_000, 300


def rows() -> list[Row]:
    """Return all rows."""
    return [
        Row("multiclass/loop", Reach(">=", 10.0), _loop),
        Row("multiclass/squarecb", Reach(">=", 200.0), _squarecb),
    ]


def gappletron(**options: object) -> tuple[Gappletron, MulticlassScenario]:
    """Return the learner and its scenario."""
    table = scenario("Bandit", classes=CLASSES, dim=DIM, noise=NOISE, **options)
    return Gappletron.from_knowledge(table.knowledge), table


def _fused() -> Side:
    return Side("fused rollout", partial(rollout, *gappletron(), GAMES, ROUNDS), GAMES * ROUNDS)


def _loop(budget: Budget) -> Measurement:
    # A learner that is told of other horizons would be another one.
    learner, table = gappletron()[0], gappletron(horizon=1_000)[1]
    loop = Side("loop over the environment", PythonLoop(learner, table), table.horizon)
    return alternate(loop, _fused(), budget, unit="round")


def _squarecb(budget: Budget) -> Measurement:
    workspace = installed("vowpalwabbit", "vowpalwabbit").Workspace
    points, labels = Prototypes(DIM, CLASSES, noise=NOISE).points(game_key(0), LIBRARY_ROUNDS)
    theirs = partial(play_squarecb, workspace, FORMS["vw-pairs"], CLASSES, points, labels, 0)
    return alternate(Side("Vowpal Wabbit, --squarecb", theirs, LIBRARY_ROUNDS), _fused(), budget, unit="round")
