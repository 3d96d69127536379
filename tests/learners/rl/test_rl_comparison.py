"""The comparison that the page on reinforcement learning prints runs, and says what the page says."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[3]))  # the benchmarks are not installed

from learners import StrategicPerceptronL2
from learners.rl import load, read_settings, train
from strategic_env.report.scores import Estimate, ratio_of_means

pytestmark = pytest.mark.slow
SEED = 1_000_000


def test_the_comparison_prints_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import meta_learning

    meta_learning.main(8, ["meta-l2", "meta-l2-apple-tasting"], SEED)
    printed = capsys.readouterr().out
    for title in (
        "who comes is drawn",
        "an adversary picks",
        "classic Perceptron",
        "other games",
        "of the accepted only",
    ):
        assert printed.count(title) == 1
    assert printed.count("d = 20, each policy over ") == printed.count("d = 20, all 2 over ") == 6
    assert printed.count("d = 20: ") == 4


def test_the_comparison_under_other_responses_prints_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import other_responses

    other_responses.main(8, SEED, other_responses.PEOPLE)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:34].strip() for line in lines[2:]] == [*other_responses.PEOPLE]
    assert all(line.endswith("]") for line in lines[2:])


def test_the_constants_of_the_coefficients_are_the_best_on_training_seeds() -> None:
    from benchmarks import meta_learning
    from learners.rl.coefficients import STEP_AFTER_MISTAKE, STEP_OTHERWISE

    weight = meta_learning.best_constant(1000).weight
    assert (weight, 1.0 + weight) == pytest.approx((STEP_OTHERWISE, STEP_AFTER_MISTAKE))


def test_curves_of_trainings_are_drawn(tmp_path: Path) -> None:
    from benchmarks import training_curves

    whole = read_settings("ppo", "strategic_env/MetaL2-v0")
    short = replace(whole, timesteps=3_200, games=8, arguments=whole.arguments | {"batch_size": 400})
    train(short, "strategic_env/MetaL2-v0", tmp_path / "one")
    training_curves.main(str(tmp_path / "curves.png"), str(tmp_path / "one"))
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("dim", [5, 10, 20])
def test_the_policy_beats_the_theorem_and_the_constants_where_people_come_at_random(dim: int) -> None:
    from benchmarks import meta_learning as page

    def ratio(ours: object, theirs: object, **other: object) -> Estimate:
        counts = [page.on_populations(one, dim, 1000, SEED, **other)[:, np.newaxis] for one in (ours, theirs)]
        return ratio_of_means(*counts)

    policy, constants, algorithm = load("meta-l2"), page.Constant(0.35), StrategicPerceptronL2(0.3)
    assert ratio(policy, algorithm).high < {5: 0.5, 10: 0.55, 20: 0.55}[dim]
    assert ratio(policy, constants).high < 1.0
    accepted, told = load("meta-l2-apple-tasting"), {"feedback": "apple_tasting"}
    assert ratio(accepted, constants, **told).high < 1.0 and ratio(accepted, policy, **told).high < 1.0


def test_the_theorem_beats_the_policy_where_an_adversary_picks() -> None:
    from benchmarks import meta_learning as page

    players = (load("meta-l2"), StrategicPerceptronL2(0.3))
    counts = [page.against_nature(one, 5, 50, SEED)[:, np.newaxis] for one in players]
    assert ratio_of_means(*counts).low > 1.0
