"""Whole games in compiled code: a learner against a scenario, without Python between the rounds."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.boundary import FLOAT64_EPS
from agents.costs import Prepared
from agents.foundation.compiled import inlined, loop, released
from agents.foundation.lanes import prefetch
from agents.foundation.typing import Float, Int, Key
from agents.populations.arrivals import ManyArrivals
from agents.populations.groups import fill_groups
from agents.populations.sources import Source
from agents.responses.answers import (
    Aim,
    Answer,
    admit,
    alpha_of,
    answer,
    believe,
    draw_games,
    note,
    notes,
    rise_of,
    shifted,
    take_aim,
    write_answer,
)
from agents.responses.effects import Gaming, changes, fill_all_scores, gain_of_report, known_standing, label_after
from agents.responses.exact import Exact
from learners.policy import Policy
from learners.policy import begin as begin_games
from learners.strategic.observation import rounding
from learners.strategic.rules import concerns, learn, publish
from strategic_env.games.shared.rollout import Rollout, play_in_chunks, shares_of
from strategic_env.games.strategic.delay import room_for
from strategic_env.games.strategic.group_tally import columns_of, count_person, prepare_counting, tally_of
from strategic_env.games.strategic.rules import own_row
from strategic_env.games.strategic.setting import FEEDBACK, Setting

# Individuals are computed ahead of a block of rounds: so many numbers stay in a processor's cache.
SHORTEST_BLOCK, ROOM = 64, 2**15
# Rows of so many numbers are asked for so many rounds ahead; few numbers come soon enough by themselves.
FETCHED_AHEAD, ROUNDS_AHEAD = 32, 8

# What is counted besides mistakes.
COLUMNS = ("manipulations", "qualified", "qualified_cost")
# And where a lottery decides who is accepted.
RULE_MISTAKES = "rule_mistakes"


class Tally(NamedTuple):
    """What is counted of N games.

    Attributes
    ----------
    mistakes, rule_mistakes, manipulations, qualified : ndarray, shape (N,), int64
        Who is accepted or rejected wrongly, wrong predictions (the same, unless there is a lottery), individuals who
        moved, individuals whose true label is +1.
    qualified_cost : ndarray, shape (N,)
        What the qualified paid for manipulation, in total.
    curves : ndarray, shape (N, C), int64
        Mistakes up to each checkpoint.
    groups : GroupTally
        The same by group, where groups are asked for.
    """

    mistakes: Int
    rule_mistakes: Int
    manipulations: Int
    qualified: Int
    qualified_cost: Float
    curves: Int
    groups: Any


class Block(NamedTuple):
    """Who arrives in a block of B rounds, in n games or, without the leading axis, in one.

    Attributes
    ----------
    features : ndarray, shape (M, d)
        True features that ``rows`` point into.
    rows : ndarray, shape (n, B), int64
    label : ndarray, shape (n, B)
    budgets : ndarray, shape (M or 1, 1 or d)
        Of each row of ``features``, or of all.
    group : ndarray, shape (n, B), int64
        The groups of those who arrive; without columns where nobody asks.
    """

    features: Float
    rows: Int
    label: Float
    budgets: Float
    group: Int


@loop
def play_until_concerned(
    state: Any,
    game: int,
    player: int,
    labels_rejected: bool,
    response: Any,
    effect: Any,
    aim: Aim,
    rise: float,
    measure: Prepared,
    classifier: Float,
    block: Block,
    start: int,
    stop: int,
    tally: Tally,
    report: Float,
) -> int:
    """Play rounds of a game's block with one classifier, up to the first that concerns the learner; return its place.

    Rounds ``start`` to ``stop`` of the block are played, that one included, and counted. Nobody needs to see a report:
    one score says who moves and what is predicted. ``stop`` if no round concerns the learner. ``report`` (d,) is room.
    """
    features, rows, label, budgets, group = block
    mistakes, rule_mistakes, manipulations, qualified, paid = 0, 0, 0, 0, tally.qualified_cost[game]
    at, shared, last = start, budgets.shape[0] == 1, rows.shape[0] - 1
    wide = features.shape[1] >= FETCHED_AHEAD
    alpha = alpha_of(aim, budgets[0])
    while at < stop:
        # Unsigned: no time is lost on asking whether to count from the end.
        place = np.uint64(at)
        row, truth = np.uint64(rows[place]), label[place]
        if wide:
            prefetch(features, rows[np.uint64(min(at + ROUNDS_AHEAD, last))])
        if not shared:
            alpha = alpha_of(aim, budgets[row])
        budget = budgets[np.uint64(0) if shared else row]
        found = answer(response, aim, player, at, classifier, features[row], budget, alpha, truth)
        predicted, moved, positive = found.accepted, found.moved, truth > 0.0
        accepted = admit(response, player, at, predicted)
        gain = found.step * rise if moved else 0.0
        if shifted(response) and changes(effect):
            write_answer(response, aim, player, classifier, features[row], found, report)
            gain = gain_of_report(effect, player, features[row], report)
        after = label_after(effect, known_standing(effect, rows[place]), gain, truth)
        mistakes += accepted != (after > 0.0)
        rule_mistakes += predicted != (after > 0.0)
        manipulations += moved
        qualified += positive
        # Without a branch, which a processor could not foresee: most pay nothing.
        paid += found.cost if positive else 0.0
        judged = Answer(accepted, moved, found.cost, found.step)
        count_person(tally.groups, game, group, at, judged, positive, measure, classifier, features[row], budget)
        if notes(response):
            write_answer(response, aim, player, classifier, features[row], found, report)
            note(response, player, accepted, report)
        shown = after if accepted | labels_rejected else 0.0
        if concerns(state, game, 1.0 if predicted else -1.0, shown):
            break
        at += 1
    tally.mistakes[game] += mistakes
    tally.rule_mistakes[game] += rule_mistakes
    tally.manipulations[game] += manipulations
    tally.qualified[game] += qualified
    tally.qualified_cost[game] = paid
    return at


@released
def play_blocks(
    state: Any,
    response: Any,
    effect: Any,
    norm: int,
    labels_rejected: bool,
    blocks: Block,
    published: Float,
    first: int,
    last: int,
    checkpoints: Int,
    tally: Tally,
    games: Int,
) -> None:
    """Play rounds ``first`` to ``last`` of some ``games`` (n,), which are the ones in ``blocks``.

    ``published`` (N, d + 1) holds each game's classifier from block to block.
    """
    features, rows, label, budgets, group = blocks
    report = np.empty(features.shape[1])
    due = np.searchsorted(checkpoints, first, side="right")
    for row in range(games.shape[0]):
        game = games[row]
        classifier, block = published[game], Block(features, rows[row], label[row], budgets, group[row])
        if first == 0:
            publish(state, game, classifier)
        again = believe(response, row, first, classifier) - first
        aim = take_aim(response, row, norm, classifier, budgets[0])
        measure = prepare_counting(tally.groups, norm, classifier, budgets[0])
        rise = rise_of(response, effect, row, aim, classifier)
        at, mark = 0, due
        while at < last - first:
            ahead = mark < checkpoints.shape[0] and checkpoints[mark] <= last
            stop = min(again, checkpoints[mark] - first if ahead else last - first)
            at = play_until_concerned(
                state, game, row, labels_rejected, response, effect, aim, rise, measure, classifier, block, at, stop,
                tally, report,
            )  # fmt: skip
            published_anew = False
            if at < stop:
                published_anew = learn_from_round(
                    state, game, row, labels_rejected, response, effect, aim, rise, classifier, block, at, report
                )
                if published_anew:
                    publish(state, game, classifier)
                at += 1
            if published_anew or at == again:
                again = believe(response, row, first + at, classifier) - first
                aim = take_aim(response, row, norm, classifier, budgets[0])
                measure = prepare_counting(tally.groups, norm, classifier, budgets[0])
                rise = rise_of(response, effect, row, aim, classifier)
            if ahead and at == checkpoints[mark] - first:
                tally.curves[game, mark] = tally.mistakes[game]
                mark += 1


@released
def play_late_blocks(
    state: Any,
    response: Any,
    effect: Any,
    norm: int,
    labels_rejected: bool,
    blocks: Block,
    published: Float,
    first: int,
    last: int,
    checkpoints: Int,
    tally: Tally,
    games: Int,
    ring: Float,
) -> None:
    """As `play_blocks`, where the learner is told late: ``ring`` (n, D + 1, 2 d + 4) holds what is yet to be told."""
    features, rows, label, budgets, group = blocks
    d, places, report = features.shape[1], ring.shape[1], np.empty(features.shape[1])
    due = np.searchsorted(checkpoints, first, side="right")
    for row in range(games.shape[0]):
        game, mark = games[row], due
        classifier, block = published[game], Block(features, rows[row], label[row], budgets, group[row])
        if first == 0:
            publish(state, game, classifier)
        for at in range(last - first):
            round = first + at
            believe(response, row, round, classifier)
            aim = take_aim(response, row, norm, classifier, budgets[0])
            rise = rise_of(response, effect, row, aim, classifier)
            measure = prepare_counting(tally.groups, norm, classifier, budgets[0])
            seen = ring[row, round % places]
            predicted, shown = show_round(
                response, effect, row, labels_rejected, aim, rise, classifier, block, at, report
            )
            play_until_concerned(
                state, game, row, labels_rejected, response, effect, aim, rise, measure, classifier, block, at, at + 1,
                tally, seen[d + 1 : 2 * d + 1],
            )  # fmt: skip
            seen[: d + 1], seen[d + 1 : 2 * d + 1] = classifier, report
            seen[2 * d + 1], seen[2 * d + 2] = shown, 1.0 if predicted else -1.0
            if round >= places - 1:
                told = ring[row, (round + 1) % places]
                echo, reported = told[: d + 1], told[d + 1 : 2 * d + 1]
                if concerns(state, game, told[2 * d + 2], told[2 * d + 1]):
                    eps = rounding(reported, echo, FLOAT64_EPS)
                    if learn(state, game, reported, told[2 * d + 2], told[2 * d + 1], echo, eps):
                        publish(state, game, classifier)
            if mark < checkpoints.shape[0] and round + 1 == checkpoints[mark]:
                tally.curves[game, mark] = tally.mistakes[game]
                mark += 1


@inlined
def show_round(
    response: Any,
    effect: Any,
    player: int,
    labels_rejected: bool,
    aim: Aim,
    rise: float,
    classifier: Float,
    block: Block,
    at: int,
    report: Float,
) -> tuple[bool, float]:
    """Write the report (d,) of round ``at`` of a game's block; return the prediction (accept?), and the label shown."""
    features, rows, label, budgets, _ = block
    true_features, budget = features[rows[at]], budgets[own_row(budgets, rows[at])]
    found = answer(response, aim, player, at, classifier, true_features, budget, alpha_of(aim, budget), label[at])
    write_answer(response, aim, player, classifier, true_features, found, report)
    gain = found.step * rise if found.moved else 0.0
    if shifted(response):
        gain = gain_of_report(effect, player, true_features, report)
    after = label_after(effect, known_standing(effect, rows[at]), gain, label[at])
    accepted = admit(response, player, at, found.accepted)
    return found.accepted, after if accepted or labels_rejected else 0.0


@released
def learn_from_round(
    state: Any,
    game: int,
    player: int,
    labels_rejected: bool,
    response: Any,
    effect: Any,
    aim: Aim,
    rise: float,
    classifier: Float,
    block: Block,
    at: int,
    report: Float,
) -> bool:
    """Let the learner learn from round ``at`` of its game's block, as it shows; return whether it publishes anew."""
    predicted, shown = show_round(response, effect, player, labels_rejected, aim, rise, classifier, block, at, report)
    eps = rounding(report, classifier, FLOAT64_EPS)
    return bool(learn(state, game, report, 1.0 if predicted else -1.0, shown, classifier, eps))


def play_keys(
    learner: Policy[Any],
    setting: Setting,
    keys: Key,
    rounds: int,
    checkpoints: Int,
    threads: int = 1,
    progress: Callable[[Rollout], object] | None = None,
) -> Rollout:
    """Play the episodes whose keys (N, 2) are given; arguments as for `rollout`, checked."""
    dim, games = setting.dim, len(keys)
    state, published = begin_games(learner, dim, games), np.zeros((games, dim + 1))
    mistakes, rule_mistakes, manipulations, qualified = np.zeros((4, games), dtype=np.int64)
    curves = np.zeros((games, len(checkpoints)), dtype=np.int64)
    counts = mistakes, rule_mistakes, manipulations, qualified
    tally = Tally(*counts, np.zeros(games), curves, tally_of(setting.groups, games))
    learner.check_state(state, games, dim)
    parts = shares_of(games, threads)
    source = setting.source()
    assert source is not None
    block = _block(source, len(parts[0]), rounds)
    shares = [Share(setting, source, keys, part, block) for part in parts]
    plays = [partial(share.play, state, published, checkpoints=checkpoints, tally=tally) for share in shares]

    def result(played: int) -> Rollout:
        names = (*COLUMNS, RULE_MISTAKES) if setting.draws_lots else COLUMNS
        counted = {name: getattr(tally, name) for name in names} | columns_of(setting.groups, tally.groups)
        return Rollout(played, tally.mistakes, tally.mistakes.astype(np.float64), counted, checkpoints, curves, state)

    def report(played: int) -> object:
        return None if progress is None else progress(result(played))

    return result(play_in_chunks(plays, rounds, block, threads, report))


class Share:
    """Some of the games, which one thread plays block by block.

    Parameters
    ----------
    setting : Setting
    source : Source
        The setting's.
    keys : ndarray, shape (N, 2), uint64
        Of all games.
    games : ndarray, shape (n,), int64
        Those of this share.
    block : int
        Rounds computed at a time.
    """

    def __init__(self, setting: Setting, source: Source, keys: Key, games: Int, block: int) -> None:
        self.block, self.games, self._setting = block, games, setting
        self._arrivals = ManyArrivals(source, len(games), self.block)
        self._arrivals.begin(np.arange(len(games)), keys[games])
        own = self._arrivals.budgets
        self._budgets = setting.budgets() if own is None else own
        self._response = setting.response(len(games), block)
        self._effect = setting.effect_of(source, len(games), len(self._arrivals.features))
        setting.tell_separators(self._effect, self._arrivals, np.arange(len(games)))
        # Scores of members are known from now on, those of computed individuals block by block.
        self._computed = not len(source.features) and not isinstance(self._effect, Gaming)
        fill_all_scores(self._effect, self._arrivals.features, max(len(source.features), 1), len(source.features))
        self._ring = room_for(setting.delay, len(games), 2 * setting.dim + 4) if setting.delay else None
        self._groups = None if setting.groups is None else setting.groups.table()
        self._group = np.zeros((len(games), 0 if self._groups is None else block), dtype=np.int64)

    def play(
        self, state: tuple[NDArray[Any], ...], published: Float, first: int, last: int, checkpoints: Int, tally: Tally
    ) -> None:
        """Play rounds ``first`` (a multiple of the block) to ``last``."""
        arrivals = self._arrivals
        for begin in range(first, last, self.block):
            end = min(last, begin + self.block)
            rounds, wanted = np.full(len(self.games), begin), min(self.block, -(-(end - begin) // 4) * 4)
            arrivals.fill(rounds, wanted)
            if not isinstance(self._response, Exact):
                draw_games(self._response, arrivals.keys, rounds, self.block, wanted)
            if self._groups is not None:
                fill_groups(self._groups, arrivals.keys, rounds, arrivals.index, self._group)
            if self._computed:
                fill_all_scores(self._effect, arrivals.features, self.block, wanted)
            play: Callable[..., None] = play_blocks if self._ring is None else play_late_blocks
            play(
                state,
                self._response,
                self._effect,
                self._setting.norm,
                FEEDBACK[self._setting.feedback],
                Block(arrivals.features, arrivals.index, arrivals.label, self._budgets, self._group),
                published,
                begin,
                end,
                checkpoints,
                tally,
                self.games,
                *(() if self._ring is None else (self._ring,)),
            )


def _block(source: Source, games: int, rounds: int) -> int:
    """Return how many rounds of so many games to compute at a time, the same in every share."""
    room = games * (1 if len(source.features) else source.features.shape[1])
    block = SHORTEST_BLOCK
    while block < rounds and 2 * block * room <= ROOM:
        block *= 2
    return block
