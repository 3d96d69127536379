"""Search for hyper-parameters with Optuna, around those that are shipped or in ranges of one's own."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.foundation.checks import count, file_path, finite_number, shown
from agents.foundation.extras import missing_extra
from agents.foundation.files import made_folder, replacing, write_csv
from learners.rl.settings import ALGORITHMS, NUMBER, WRAPPER, Settings, settings
from learners.rl.training import Training

if TYPE_CHECKING:
    from optuna import Trial

# What is searched unless ranges are given: these, where above 0, from a quarter of what they are to four times.
AROUND = ("learning_rate", "ent_coef", "max_grad_norm")
FACTOR = 4.0
# From so many times the low end on, a range is searched by its logarithm.
WIDE = 10.0
JOURNAL, TRIALS, BEST = "study.log", "trials.csv", "best.yml"


@dataclass(frozen=True)
class Range:
    """The interval in which a hyper-parameter is searched; whole numbers where both ends are."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Check the ends."""
        finite_number("the low end of a range", self.low)
        finite_number("the high end of a range", self.high, above=self.low)

    @classmethod
    def read(cls, text: str) -> "Range":
        """Return the range that ``"1e-4..1e-2"`` says.

        Raises
        ------
        ValueError
            If it reads otherwise.
        """
        ends = text.split("..")
        if len(ends) != 2 or not all(NUMBER.fullmatch(end) for end in ends):
            raise ValueError(f"a range must read LOW..HIGH, got {text!r}")
        low, high = (int(end) if end.lstrip("+-").isdecimal() else float(end) for end in ends)
        return cls(low, high)

    def suggest(self, trial: "Trial", name: str) -> float:
        """Return what a trial tries."""
        log = self.low > 0 and self.high >= WIDE * self.low
        if isinstance(self.low, int) and isinstance(self.high, int):
            return trial.suggest_int(name, self.low, self.high, log=log)
        return trial.suggest_float(name, self.low, self.high, log=log)


def tune(
    chosen: Settings,
    environment: str,
    folder: str | Path,
    *,
    trials: int = 20,
    ranges: Mapping[str, Range] | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> dict[str, float]:
    """Search for hyper-parameters whose policy makes the fewest mistakes in held-out games.

    Every trial is a `Training` in a folder of its own; the search goes on where it was interrupted. ``trials.csv`` has
    what was tried, ``best.yml`` the best in rl-zoo3's format, for `read_settings`.

    Parameters
    ----------
    chosen : Settings
        What stays as it is, and the middle of the default ranges.
    environment : str
        As of `Training`.
    folder : str or Path
        Made where it is missing.
    trials : int
        How many there are to be in the folder.
    ranges : mapping of str to Range, optional
        Arguments of the algorithm; by default the learning rate, the coefficient of the entropy and the largest norm of
        gradients, where they are above 0, from a quarter of what they are to four times.
    seed : int
        Of all trainings, and of the search.
    options : mapping, optional
        As of `Training`.
    progress : callable, optional
        Called with the number of each trial that ends and its mistakes.

    Returns
    -------
    dict of str to float
        The best arguments.

    Raises
    ------
    ImportError
        If Optuna is missing.
    TypeError, ValueError, OSError
        As `Training`; if a range is of no argument of the algorithm, or every trial failed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from learners.rl import Settings, tune
    >>> arguments = {"policy": "MlpPolicy", "n_steps": 8, "batch_size": 32, "learning_rate": 3e-4}
    >>> settings = Settings("ppo", "statistics", timesteps=64, games=4, normalize={}, options={"horizon": 8},
    ...                     arguments=arguments)
    >>> with TemporaryDirectory() as folder:
    ...     best = tune(settings, "strategic_env:strategic_env/KnownL2-v0", folder, trials=2)
    >>> list(best), 7.5e-5 <= best["learning_rate"] <= 1.2e-3
    (['learning_rate'], True)
    """
    optuna = _optuna()
    count("trials", trials, minimum=1)
    place = made_folder("folder", file_path("folder", folder))
    searched = around(chosen) if ranges is None else dict(ranges)
    if not searched:
        raise ValueError(f"ranges must name at least one argument of {chosen.algorithm}, got none")
    for name, within in searched.items():  # before any work: `settings` refuses what is no argument
        settings(chosen.algorithm, entry_of(_changed(chosen, {name: within.low})))

    def mistakes(trial: "Trial") -> float:
        tried = _changed(chosen, {name: within.suggest(trial, name) for name, within in searched.items()})
        training = Training(tried, environment, place / f"trial-{trial.number}", seed=seed, options=options)
        training.run()
        return min(one.mistakes for one in training.progress.evaluations)

    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(place / JOURNAL)))
    study = optuna.create_study(storage=storage, study_name="mistakes", load_if_exists=True)
    # What goes on draws what has not been drawn.
    study.sampler = optuna.samplers.TPESampler(seed=(seed + len(study.trials)) % 2**32)

    def tell(_: Any, trial: Any) -> None:
        if progress is not None and trial.value is not None:
            progress(trial.number, trial.value)

    done = [trial for trial in study.trials if trial.state is optuna.trial.TrialState.COMPLETE]
    study.optimize(mistakes, n_trials=max(0, trials - len(done)), catch=(RuntimeError, ValueError), callbacks=[tell])
    found = [[trial.number, trial.value, *(trial.params.get(name) for name in searched)] for trial in study.trials]
    write_csv(place / TRIALS, ["trial", "mistakes", *searched], found)
    with suppress(ValueError):
        best: dict[str, float] = dict(study.best_params)
        told = replace(chosen, options=chosen.options | dict(options or {}))
        _save_best(place / BEST, environment, _changed(told, best))
        return best
    raise ValueError(f"every trial failed: {place / TRIALS} says what was tried")


def around(chosen: Settings) -> dict[str, Range]:
    """Return the default ranges."""
    found = {}
    for name in AROUND:
        value = chosen.arguments.get(name)
        middle = float(value.partition("_")[2]) if isinstance(value, str) and value.startswith("lin_") else value
        if isinstance(middle, (int, float)) and not isinstance(middle, bool) and middle > 0:
            found[name] = Range(middle / FACTOR, middle * FACTOR)
    return found


def entry_of(chosen: Settings) -> dict[str, Any]:
    """Return settings as an entry in rl-zoo3's format."""
    normalize = {name: value for name, value in chosen.normalize.items() if name != "gamma"}
    entry: dict[str, Any] = {
        "n_timesteps": chosen.timesteps,
        "n_envs": chosen.games,
        "normalize": normalize or bool(chosen.normalize),
    }
    entry |= {"env_wrapper": [{WRAPPER: {"view": chosen.view}}], "env_kwargs": chosen.options}
    return entry | chosen.arguments


def _changed(chosen: Settings, values: Mapping[str, float]) -> Settings:
    """Return settings with other arguments; a schedule stays one."""
    written: dict[str, Any] = {}
    for name, value in values.items():
        falls = str(chosen.arguments.get(name, "")).startswith("lin_")
        written[name] = f"lin_{value!r}" if falls else value
    return replace(chosen, arguments=chosen.arguments | written)


def _save_best(path: Path, environment: str, best: Settings) -> None:
    import yaml

    name = environment.rpartition(":")[2]
    head = f"# Found by strategic-env tune for {ALGORITHMS[best.algorithm]}.\n"
    with replacing(path) as unfinished:
        unfinished.write_text(head + yaml.safe_dump({name: entry_of(best)}, sort_keys=False), encoding="utf-8")


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise missing_extra("tuning", "Optuna", "tune") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def read_ranges(texts: list[str]) -> dict[str, Range]:
    """Return the ranges that ``["NAME=LOW..HIGH", ...]`` say.

    Raises
    ------
    ValueError
        If one reads otherwise, or a name comes twice.
    """
    found: dict[str, Range] = {}
    for text in texts:
        name, equals, within = text.partition("=")
        if not equals or not name or name in found:
            raise ValueError(f"ranges must read NAME=LOW..HIGH, each name once, got {shown(text)}")
        found[name] = Range.read(within)
    return found
