"""How people answer, as options of every scenario: ``response``, and the parameters that each response has."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from agents.costs import Cost
from agents.foundation.checks import finite_array, one_of, shown
from agents.responses.individuals import BestResponse, BudgetLimited, CompiledIndividual, Individual, Noisy, Truthful
from agents.responses.miss import Missing
from agents.responses.quantal import Quantal
from strategic_env.games.strategic.setting import LARGEST_REACH

# What `strategic-env list NAME` says of them; None where the response has none of that name.
FORMS = {
    "share": "of response=limited: the share of the value that people pay at most",
    "temperature": "of response=quantal: how undecided people are; 0: not at all",
    "miss": "of response=miss: how far beyond the boundary people land, [low, high]",
    "report_noise": "of response=noisy: the largest noise of a feature",
}


class Choice(NamedTuple):
    """A response as scenarios know it: its options with their defaults, and what makes it of them and a cost."""

    options: Mapping[str, object]
    make: Callable[..., Individual]


def _missing(cost: Cost, miss: Any) -> Missing:
    low, high = finite_array("miss", miss, (2,)).tolist()
    farthest = float(cost.alpha.max())
    if low > high or max(abs(low), abs(high)) > farthest:
        raise ValueError(f"miss must be [low, high] with -{farthest} <= low <= high <= {farthest}, got {shown(miss)}")
    return Missing(low, high)


RESPONSES: dict[str, Choice] = {
    "best": Choice({}, lambda cost: BestResponse()),
    "truthful": Choice({}, lambda cost: Truthful()),
    "limited": Choice({"share": 0.5}, lambda cost, share: BudgetLimited(share)),
    "quantal": Choice({"temperature": 0.2}, lambda cost, temperature: Quantal(temperature)),
    "miss": Choice({"miss": [0.0, 0.1]}, _missing),
    "noisy": Choice({"report_noise": 0.1}, lambda cost, report_noise: _noisy(report_noise)),
}
OPTIONS = {"response": f"one of {', '.join(RESPONSES)}"} | FORMS
DEFAULTS: dict[str, object] = {"response": "best"} | dict.fromkeys(FORMS)


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
    return {"response": response} | dict(parameters) | given


def individual_of(chosen: Mapping[str, object], cost: Cost, radius: float) -> Individual:
    """Return who answers as `chosen_options` say.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of range.
    """
    name, parameters = chosen["response"], {key: value for key, value in chosen.items() if key != "response"}
    individual, farthest = RESPONSES[str(name)].make(cost, **parameters), float(cost.alpha.max())
    slack = individual.slack_for(farthest) if isinstance(individual, CompiledIndividual) else individual.slack
    if 0.0 < radius and farthest <= LARGEST_REACH * radius < farthest + slack:
        option, value = next(iter(parameters.items()))
        raise ValueError(
            f"{option} must let nobody move farther than {LARGEST_REACH:g} times the radius {radius:g}, "
            f"got {shown(value)}"
        )
    return individual


def told_of(chosen: Mapping[str, object]) -> dict[str, object]:
    """Return what a learner is told of a response: its parameters, as plain numbers."""
    return {
        key: np.asarray(value).tolist() if isinstance(value, (np.ndarray, list, tuple)) else value
        for key, value in chosen.items()
        if key != "response"
    }
