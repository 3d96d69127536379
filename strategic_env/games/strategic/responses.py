"""How people answer, as options of every scenario: ``response``, and the parameters that each response has."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from agents.costs import Cost
from agents.foundation.checks import finite_array, finite_number, one_of, shown
from agents.foundation.typing import Float
from agents.responses.announced import UnderLottery
from agents.responses.beliefs import InTheDark, Lagged, Misperceiving
from agents.responses.collective import Collective
from agents.responses.individuals import BestResponse, BudgetLimited, CompiledIndividual, Individual, Noisy, Truthful
from agents.responses.miss import Missing
from agents.responses.quantal import Quantal
from strategic_env.games.strategic.setting import LARGEST_REACH

# The lottery that leaves everything to the rule.
CERTAIN = (0.0, 1.0)
# How far off weights are, if nobody says.
MISPERCEPTION = 0.1
# What `strategic-env list NAME` says of them; None where the response has none of that name.
FORMS = {
    "share": "of response=limited: the share of the value that people pay at most",
    "temperature": "of response=quantal: how undecided people are; 0: not at all",
    "perception": "of response=misperceived: what people multiply each weight with, a list",
    "misperception": "of response=misperceived: how far off an individual's weights are, as a share; 0.1 by default",
    "miss": "of response=miss: how far beyond the boundary people land, [low, high]",
    "report_noise": "of response=noisy: the largest noise of a feature",
    "lag": "of response=lagged: people answer the classifier of so many rounds ago",
    "window": "of response=dark: people believe what the reports of the last so many rounds suggest",
    "collective": "of response=collective: chance that somebody belongs to it",
    "signal": "of response=collective: what its members add, a list; by default as far as the first feature moves",
    "members": "of response=collective: all, or qualified (label +1)",
}


class Choice(NamedTuple):
    """A response as scenarios know it: its options with their defaults, and what makes it of them and a cost."""

    options: Mapping[str, object]
    make: Callable[..., Individual]


def _missing(cost: Cost, dim: int, miss: Any) -> Missing:
    low, high = finite_array("miss", miss, (2,)).tolist()
    farthest = float(cost.alpha.max())
    if low > high or max(abs(low), abs(high)) > farthest:
        raise ValueError(f"miss must be [low, high] with -{farthest} <= low <= high <= {farthest}, got {shown(miss)}")
    return Missing(low, high)


def _misperceiving(cost: Cost, dim: int, perception: Any, misperception: Any) -> Misperceiving:
    if perception is None and misperception is None:
        return Misperceiving(misperception=MISPERCEPTION)
    found = Misperceiving(perception, misperception)
    if found.perception is not None and found.perception.size != dim:
        raise ValueError(f"perception must hold {dim} numbers, one for each feature, got {shown(perception)}")
    return found


def _collective(cost: Cost, dim: int, collective: Any, signal: Any, members: Any) -> Collective:
    chance = finite_number("collective", collective, minimum=0.0, maximum=1.0)
    shift = first_move(cost, dim) if signal is None else finite_array("signal", signal, (dim,))
    price = float(cost.cost(np.zeros(dim), shift))
    if price > 1.0 + 1e-9:
        raise ValueError(f"signal must cost its members at most 1, got {shown(signal)}, which costs {price:.6g}")
    return Collective(chance, shift, members)


def first_move(cost: Cost, dim: int) -> Float:
    """Return the signal (d,) that moves the first feature that can move as far as its cost allows."""
    reaches = np.broadcast_to(cost.budgets(dim)[0], (dim,))
    signal, movable = np.zeros(dim), int(np.argmax(reaches > 0.0))
    signal[movable] = reaches[movable]
    return signal


RESPONSES: dict[str, Choice] = {
    "best": Choice({}, lambda cost, dim: BestResponse()),
    "truthful": Choice({}, lambda cost, dim: Truthful()),
    "limited": Choice({"share": 0.5}, lambda cost, dim, share: BudgetLimited(share)),
    "quantal": Choice({"temperature": 0.2}, lambda cost, dim, temperature: Quantal(temperature)),
    "misperceived": Choice({"perception": None, "misperception": None}, _misperceiving),
    "miss": Choice({"miss": [0.0, 0.1]}, _missing),
    "noisy": Choice({"report_noise": 0.1}, lambda cost, dim, report_noise: _noisy(report_noise)),
    "lagged": Choice({"lag": 1}, lambda cost, dim, lag: Lagged(lag)),
    "dark": Choice({"window": 50}, lambda cost, dim, window: InTheDark(window)),
    "collective": Choice({"collective": 0.1, "signal": None, "members": "all"}, _collective),
}
OPTIONS = {
    "response": f"one of {', '.join(RESPONSES)}",
    "lottery": "null, or the announced chances of those whom the rule rejects, and accepts: [p0, p1]",
} | FORMS
DEFAULTS: dict[str, object] = {"response": "best", "lottery": None} | dict.fromkeys(FORMS)


def _noisy(report_noise: Any) -> Noisy:
    try:
        return Noisy(report_noise)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("scale", "report_noise", 1)) from None


def chosen_options(options: Mapping[str, object], defaults: Mapping[str, object]) -> dict[str, object]:
    """Return the name of the response (``response``) and its parameters, from what is given and a scenario's defaults.

    Raises
    ------
    TypeError, ValueError
        For an unknown response, or an option of another one.
    """
    name = options.get("response", defaults.get("response", "best"))
    response = one_of("response", name, tuple(RESPONSES))
    parameters = RESPONSES[response].options
    for option in FORMS:
        if options.get(option) is not None and option not in parameters:
            owner = next(other for other, choice in RESPONSES.items() if option in choice.options)
            raise ValueError(
                f"{option} goes with response={owner}, got {option}={shown(options[option])} with response={response}"
            )
    if response == defaults.get("response"):
        parameters = {option: defaults.get(option, value) for option, value in parameters.items()}
    given = {option: options[option] for option in parameters if options.get(option) is not None}
    lottery = options.get("lottery", defaults.get("lottery"))
    return {"response": response, "lottery": lottery} | dict(parameters) | given


def individual_of(chosen: Mapping[str, object], cost: Cost, dim: int, radius: float) -> Individual:
    """Return who answers as `chosen_options` say.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of range.
    """
    name, parameters = chosen["response"], {key: chosen[key] for key in chosen.keys() - {"response", "lottery"}}
    individual, farthest = RESPONSES[str(name)].make(cost, dim, **parameters), float(cost.alpha.max())
    slack = individual.slack_for(farthest) if isinstance(individual, CompiledIndividual) else individual.slack
    if 0.0 < radius and farthest <= LARGEST_REACH * radius < farthest + slack:
        option, value = next(iter(parameters.items()))
        raise ValueError(
            f"{option} must let nobody move farther than {LARGEST_REACH:g} times the radius {radius:g}, "
            f"got {shown(value)}"
        )
    if chosen["lottery"] is None:
        return individual
    announced = UnderLottery(individual, chosen["lottery"])  # type: ignore[arg-type]  # it checks both
    return individual if announced.lottery == CERTAIN else announced


def told_of(chosen: Mapping[str, object], individual: Individual) -> dict[str, object]:
    """Return what a learner is told of a response: its parameters, as plain numbers."""
    told = {key: value for key, value in chosen.items() if key != "response"}
    if isinstance(individual, UnderLottery):
        individual = individual.individual
    if isinstance(individual, Collective):
        told["signal"] = individual.signal
    elif isinstance(individual, Misperceiving) and individual.perception is None:
        told["misperception"] = individual.misperception
    return {
        key: np.asarray(value).tolist() if isinstance(value, (np.ndarray, list, tuple)) else value
        for key, value in told.items()
        if value is not None
    }
