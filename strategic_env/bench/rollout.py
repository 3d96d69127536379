"""Whole games of a learner in compiled code, without Python between the rounds."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from agents.foundation.checks import LARGEST_SIZE, MOST_CORES, count, function_or_none, shown
from agents.foundation.streams import LARGEST_SEED, game_key
from agents.foundation.typing import Key
from learners.policy import Policy
from strategic_env.bench.contestants import contestant
from strategic_env.bench.playing import seed_numbers
from strategic_env.games.scenarios import playable
from strategic_env.games.shared.episodes import keys_of_games
from strategic_env.games.shared.rollout import Rollout, checked_checkpoints
from strategic_env.games.shared.scenario import BenchScenario


def rollout(
    learner: str | Policy[Any],
    scenario: str | BenchScenario,
    games: int = 1,
    rounds: int | None = None,
    seed: int = 0,
    *,
    seeds: Sequence[int] | None = None,
    checkpoints: Sequence[int] = (),
    threads: int = 1,
    progress: Callable[[Rollout], object] | None = None,
) -> Rollout:
    """Let a learner play many games in compiled code.

    The numbers are those of a loop over the environment: game i is ``env.reset(seed=seed, options={"game": i})``, and
    row i of the vector environment after ``reset(seed=seed)``. Memory does not grow with ``rounds``.

    Parameters
    ----------
    learner : str or Policy
        A name (`learners.catalogue`), built from what the scenario tells, or a learner of this package.
    scenario : str, Scenario or MulticlassScenario
        What it meets.
    games : int
        N.
    rounds : int, optional
        Rounds per game, in one episode; the scenario's horizon by default.
    seed : int
        Seed of all games.
    seeds : sequence of int, optional
        Instead of ``games`` and ``seed``: row i is game 0 of seed i, as `strategic_env.evaluate` plays it.
    checkpoints : sequence of int
        Rounds, from 1 on and increasing, after which to note the mistakes so far.
    threads : int
        Processor cores to share the games among.
    progress : callable, optional
        Called now and then with the `Rollout` so far, whose arrays go on changing; if it returns False, the rollout
        ends there. An interrupt (Ctrl-C) ends it between two blocks of rounds, with a KeyboardInterrupt.

    Returns
    -------
    Rollout

    Raises
    ------
    ValueError
        If a number is out of range, a learner is made for another game or told too little, or the scenario's
        individuals arrive or answer by rules in Python
        (`strategic_env.games.shared.scenario.BenchScenario.in_compiled_code`).
    TypeError
        If an argument is of the wrong kind, or the learner has no compiled rules.

    Examples
    --------
    >>> from learners import Perceptron
    >>> from strategic_env import rollout
    >>> rollout(Perceptron(), "KnownL2", games=3, rounds=500).mistakes.tolist()
    [66, 61, 71]
    >>> rollout("strategic-perceptron-l2", "KnownL2", games=3, rounds=500).mistakes.tolist()
    [7, 4, 1]
    """
    chosen = playable(scenario)
    length = chosen.horizon if rounds is None else count("rounds", rounds, minimum=1)
    chosen = chosen.lasting(length)
    player = contestant(learner, chosen).learner if isinstance(learner, str) else learner
    if not isinstance(player, Policy) or not player.has_rules():
        raise TypeError(
            "learner must have compiled rules and the predict method of learners.Learner, as those of this package "
            "have (the reference best-fixed-classifier is built from points: BestFixedClassifier.from_points), got "
            f"{shown(learner)}; evaluate plays others, such as trained policies"
        )
    chosen.check_learner(player)
    if not chosen.in_compiled_code():
        raise ValueError(
            f"scenario must have individuals who answer and arrive by compiled rules, got {chosen.setting!r}"
        )
    function_or_none("progress", progress, "the rollout so far")
    marks = checked_checkpoints(checkpoints, length)
    most = LARGEST_SIZE // max(chosen.numbers_of_a_game(), len(marks))
    keys = _keys(games, seed, seeds, most)
    return chosen.play(player, keys, length, marks, count("threads", threads, minimum=1, maximum=MOST_CORES), progress)


def _keys(games: int, seed: int, seeds: Sequence[int] | None, most: int) -> Key:
    """Return the key of each game."""
    if seeds is None:
        number = count("games", games, minimum=1, maximum=most)
        return keys_of_games(count("seed", seed, maximum=LARGEST_SEED), number)
    for name, given, default in (("games", games, 1), ("seed", seed, 0)):
        if given != default:
            raise ValueError(f"seeds says which games are played, and leaves no {name}, got {name}={shown(given)}")
    if isinstance(seeds, Integral):
        raise TypeError(f"seeds must be a sequence of integers, got {shown(seeds)}; games says how many")
    numbers = seed_numbers(seeds)
    count("the number of seeds", len(numbers), maximum=most)
    return np.stack([game_key(number) for number in numbers])
