"""The work of ``strategic-env train``: a policy for a scenario, by an algorithm and its hyper-parameters."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.checks import count
from strategic_env.registration import environment_id
from strategic_env.scenarios import strategic_scenario

if TYPE_CHECKING:
    from learners.rl import Settings
    from learners.rl.training import Progress

# An environment has these options besides its scenario's; the others are the trainer's business.
OF_THE_ENVIRONMENT = ("reward",)


@dataclass(frozen=True)
class Plan:
    """A training, checked and ready to begin.

    Attributes
    ----------
    settings : Settings
        Algorithm, view, hyper-parameters, rounds.
    scenario : str
    options : dict
        Of the scenario, those of the hyper-parameters' entry among them.
    seed : int
    folder : Path
    """

    settings: "Settings"
    scenario: str
    options: dict[str, Any]
    seed: int
    folder: Path


def plan(
    algorithm: str,
    name: str,
    options: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    timesteps: int | None = None,
    hyperparameters: str | Path | None = None,
    out: str | Path | None = None,
) -> Plan:
    """Check what is asked for before any work, and note it in the folder.

    Parameters
    ----------
    algorithm : str
        ``"ppo"``, ``"ppo_lstm"``, ``"sac"`` or ``"tqc"``.
    name : str
        Of a scenario of strategic classification.
    options : mapping, optional
        Options of the scenario, and ``reward``; they override those of the hyper-parameters' entry.
    seed : int
        Below 2**32.
    timesteps : int, optional
        Rounds in total; those of the hyper-parameters by default.
    hyperparameters : str or Path, optional
        A YAML file in rl-zoo3's format; the package's by default.
    out : str or Path, optional
        Folder; ``ALGORITHM-SCENARIO-SEED`` by default.

    Raises
    ------
    OSError
        If a file or the folder cannot be used.
    ValueError
        For an unknown name or option, a value outside its limits, or a folder that holds another training.
    ImportError
        If the extra "rl" is not installed.
    """
    from learners.rl import read_settings
    from learners.rl.training import LARGEST_TRAINING_SEED, claim

    settings = read_settings(algorithm, environment_id(name), hyperparameters)
    if timesteps is not None:
        settings = replace(settings, timesteps=count("timesteps", timesteps, minimum=1))
    chosen = settings.options | dict(options or {})
    rewarded = {key: value for key, value in chosen.items() if key in OF_THE_ENVIRONMENT}
    strategic_scenario(name, **{key: chosen[key] for key in chosen if key not in rewarded}).make_vec(1, **rewarded)
    seed = count("seed", seed, maximum=LARGEST_TRAINING_SEED)
    folder = Path(f"{algorithm}-{name}-{seed}") if out is None else Path(out)
    claim(settings, environment_id(name), folder, seed=seed, options=chosen)
    return Plan(settings, name, chosen, seed, folder)


def carry_out(planned: Plan, progress: "Callable[[Progress], object] | None" = None) -> Path:
    """Train, or go on where an earlier call was interrupted; return the policy's file (`learners.rl.train`)."""
    from learners.rl import train

    return train(
        planned.settings,
        environment_id(planned.scenario),
        planned.folder,
        seed=planned.seed,
        options=planned.options,
        progress=progress,
    )


def summary(folder: Path) -> str:
    """Return in one line what a training did to the mistakes in held-out games."""
    from learners.rl.training import EVALUATIONS

    with (folder / EVALUATIONS).open(encoding="utf-8", newline="") as file:
        marks = [(float(row["mistakes"]), int(row["timesteps"])) for row in csv.DictReader(file)]
    best, when = min(marks, key=lambda mark: (mark[0], -mark[1]))
    return f"{best:.2f} mistakes per held-out game after {when:,} rounds of training, {marks[0][0]:.2f} before"
