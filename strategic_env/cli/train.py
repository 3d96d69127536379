"""The work of ``strategic-env train``: a policy for a scenario, by an algorithm and its hyper-parameters."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.foundation.checks import count, file_path
from strategic_env.bench.encoding import plain
from strategic_env.games.registration import environment_id
from strategic_env.games.scenarios import kind_of
from strategic_env.games.shared.scenario import refuse_unknown

if TYPE_CHECKING:
    from learners.rl import Settings
    from learners.rl.training import Progress, Training

# An environment has these options besides its scenario's; the others are the trainer's business.
OF_THE_ENVIRONMENT = ("reward",)


@dataclass(frozen=True)
class Prepared:
    """A training, checked and ready to run.

    Attributes
    ----------
    training : Training
    scenario : str
    options : dict
        Of the scenario, those of the hyper-parameters' entry among them.
    """

    training: "Training"
    scenario: str
    options: dict[str, Any]

    def summary(self) -> str:
        """Return in two lines what training did to the mistakes in held-out games, and how to see it play."""
        marks = self.training.progress.evaluations
        best = min(marks, key=lambda one: (one.mistakes, -one.timesteps))
        when = (
            f"the best of {len(marks)} evaluations, after {best.timesteps:,} rounds; {marks[0].mistakes:.2f} untrained"
        )
        return f"{best.mistakes:.2f} mistakes per held-out game ({when})\n{self.command()}"

    def command(self) -> str:
        """Return the command that lets the policy play what it was trained on."""
        defaults = kind_of(self.scenario).defaults(self.scenario)
        words = ["strategic-env", "run", self.scenario]
        for name, value in self.options.items():
            if value != defaults.get(name):
                words += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
        return shlex.join([*words, "--learner", f"sb3:path={_as_argument(self.training.folder.path)}"])


def _as_argument(path: Path) -> str:
    """Return a path so that it is read as a path, whatever it looks like."""
    text = str(path) if path.is_absolute() else f"./{path}"
    return json.dumps(text, ensure_ascii=False) if set(text) & set('",[]') else text


def prepare(
    algorithm: str,
    name: str,
    options: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    timesteps: int | None = None,
    hyperparameters: str | Path | None = None,
    out: str | Path | None = None,
) -> Prepared:
    """Check what is asked for before any work, and note it in the folder; run it with ``training.run()``.

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
    TypeError, ValueError
        For an unknown name or option, a value outside its limits, or a folder that holds another training.
    ImportError
        If the extra "rl" is not installed.
    """
    from learners.rl import Training

    settings, chosen, own = _asked(algorithm, name, options, timesteps, hyperparameters)
    folder = Path(f"{algorithm}-{name}-{seed}") if out is None else file_path("out", out)
    training = Training(settings, environment_id(name), folder, seed=seed, options=chosen)
    return Prepared(training, name, own)


def _asked(
    algorithm: str,
    name: str,
    options: Mapping[str, Any] | None,
    timesteps: int | None,
    hyperparameters: str | Path | None,
) -> tuple["Settings", dict[str, Any], dict[str, Any]]:
    """Return the settings, the environment's options and, of these, the scenario's, checked."""
    from learners.rl import read_settings

    kind = kind_of(name)
    if not kind.trainable:
        wanted = "policies are trained for scenarios of strategic classification"
        raise ValueError(f"{wanted}; {name} is of {kind.game} classification")
    settings = read_settings(algorithm, environment_id(name), hyperparameters)
    if timesteps is not None:
        settings = replace(settings, timesteps=count("timesteps", timesteps, minimum=1))
    chosen = {key: plain(value) for key, value in (settings.options | dict(options or {})).items()}
    own = {key: value for key, value in chosen.items() if key not in OF_THE_ENVIRONMENT}
    refuse_unknown(chosen, (*kind.own_options(name), *OF_THE_ENVIRONMENT), name)
    kind.named(name, **own)  # training checks the rest
    return settings, chosen, own


def searched(
    algorithm: str,
    name: str,
    options: Mapping[str, Any],
    ranges: Sequence[str],
    timesteps: int | None,
    hyperparameters: Path | None,
    out: Path | None,
) -> "partial[dict[str, float]]":
    """Return the search that ``strategic-env tune`` asks for; arguments as of `prepare`, and errors, too."""
    from learners.rl.tuning import read_ranges, tune

    settings, chosen, _ = _asked(algorithm, name, options, timesteps, hyperparameters)
    folder = Path(f"tune-{algorithm}-{name}") if out is None else out
    given = read_ranges(list(ranges)) or None
    return partial(tune, settings, environment_id(name), folder, ranges=given, options=chosen)


def described(progress: "Progress") -> str:
    """Return how many mistakes the last evaluation found."""
    if not progress.evaluations:
        return "evaluating"
    return f"{progress.evaluations[-1].mistakes:.2f} mistakes per held-out game"
