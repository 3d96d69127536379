"""Training that can be killed: the same command goes on at the last checkpoint, and ends as if nothing had happened."""

import io
import json
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from agents.foundation.checks import count, file_path
from agents.foundation.extras import missing_extra
from agents.foundation.typing import Int
from learners.rl.policy import TrainedPolicy
from learners.rl.saved_policy import algorithm_class, save, versions
from learners.rl.settings import ALGORITHMS, TAKEN, Settings
from learners.rl.training_folder import BEGIN_ANEW, PROGRESS, Evaluation, TrainingFolder
from learners.rl.views import View
from learners.rl.wrappers import ViewedVectorEnv

try:
    import torch
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import CSVOutputFormat, KVWriter, Logger, TensorBoardOutputFormat
    from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
    from stable_baselines3.common.vec_env import VecEnv, VecNormalize
except ModuleNotFoundError as error:
    raise missing_extra("training", error.name or "stable-baselines3", "rl") from error

from learners.rl.vector_adapter import GymnasiumVecEnv

# Games of different seeds never share a stream, so that these three ranges keep training, the evaluations during
# training, and whoever evaluates with seeds below 2**32 apart.
LARGEST_TRAINING_SEED = 2**32 - 1
TRAINING_SEEDS, HELD_OUT_SEEDS = 2**32, 2**33

CHECKPOINTS = 20
FEWEST_HELD_OUT_GAMES, MOST_HELD_OUT_GAMES = 32, 256
# Options of an environment that training chooses itself.
CHOSEN_HERE = ("info_level", "observation", "autoreset_mode", "render_mode", "num_envs")

MODEL, AROUND, TENSORBOARD = "model.zip", "around.pickle", "tensorboard"


@dataclass
class Progress:
    """How far a training has come.

    Attributes
    ----------
    timesteps, total : int
        Rounds of training so far, and in the end.
    evaluations : list of Evaluation
    """

    timesteps: int
    total: int
    evaluations: list[Evaluation] = field(default_factory=list)

    @property
    def done(self) -> bool:
        """Whether the last evaluation has been made."""
        return bool(self.evaluations) and self.evaluations[-1].timesteps >= self.total

    def next_mark(self) -> int:
        """Return after how many rounds the next checkpoint is due."""
        if not self.evaluations:
            return 0
        number = self.evaluations[-1].timesteps * CHECKPOINTS // self.total + 1
        return -(-number * self.total // CHECKPOINTS)


def train(
    settings: Settings,
    environment: str,
    folder: str | Path,
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], object] | None = None,
    callbacks: Sequence[BaseCallback] = (),
    tensorboard: bool = False,
) -> Path:
    """Train a policy, or go on with a training that was interrupted; return the policy's file.

    It runs on one thread, where the same seed gives the same policy, whether or not it was interrupted in between.
    Parameters and errors are those of `Training` and its ``run``; ``progress`` is called after each step of all games.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from learners.rl import Settings, load, train
    >>> arguments = {"policy": "MlpPolicy", "n_steps": 8, "batch_size": 32}
    >>> settings = Settings("ppo", "statistics", timesteps=64, games=4, normalize={}, options={"horizon": 8},
    ...                     arguments=arguments)
    >>> with TemporaryDirectory() as folder:
    ...     learner = load(train(settings, "strategic_env:strategic_env/KnownL2-v0", folder))
    >>> learner.about["algorithm"], learner.about["view"]
    ('PPO', 'statistics')
    """
    training = Training(settings, environment, folder, seed=seed, options=options)
    return training.run(progress, callbacks=callbacks, tensorboard=tensorboard)


class Training:
    """One training: its model, its games, its folder, and how far it has come.

    Parameters
    ----------
    settings : Settings
        How (`learners.rl.read_settings`); training ends after whole rollouts.
    environment : str
        Id of a native vector environment of strategic classification, such as ``"strategic_env/KnownL2-v0"``.
    folder : str or Path
        For the policy (``policy.zip``, the best of all evaluations), the evaluations (``evaluations.csv``), what the
        algorithm logs (``log-from-ROUND.csv``) and the last checkpoint.
    seed : int
        Below 2**32. Training plays the games of seed ``2**32 + seed``, evaluations those of ``2**33 + seed``: seeds
        below 2**32, as others use them, stay unseen.
    options : mapping, optional
        Options of the environment, which override those of the settings.

    Raises
    ------
    OSError
        If the folder cannot be made or written to.
    TypeError, ValueError
        If the settings or options are refused, or too few rounds would teach nothing; then the folder stays as it was.
        If the folder holds another training, or one that cannot go on.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from learners.rl import Settings, Training
    >>> arguments = {"policy": "MlpPolicy", "n_steps": 8, "batch_size": 32}
    >>> settings = Settings("ppo", "statistics", timesteps=64, games=4, normalize={}, options={"horizon": 8},
    ...                     arguments=arguments)
    >>> with TemporaryDirectory() as folder:
    ...     training = Training(settings, "strategic_env:strategic_env/KnownL2-v0", folder)
    ...     policy = training.run()
    >>> policy.name, training.progress.timesteps, training.progress.done
    ('policy.zip', 64, True)
    """

    def __init__(
        self,
        settings: Settings,
        environment: str,
        folder: str | Path,
        *,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        place = file_path("folder", folder)
        self._settings, self._environment = settings, environment
        self._seed = count("seed", seed, maximum=LARGEST_TRAINING_SEED)
        self.options = settings.options | dict(options or {})
        self._tell: Callable[[Progress], object] = lambda progress: None
        self._drawn: tuple[torch.Tensor, torch.Tensor] | None = None
        self._begun = False
        self._callbacks: list[BaseCallback] = []
        self._formats: list[KVWriter] = []
        self._callers: Exception | None = None
        self._build()
        self.progress = Progress(0, whole_rollouts(self.model, settings.timesteps, self._view.horizon))
        about = {"environment": environment, "seed": self._seed, **asdict(settings), "options": self.options}
        self.folder = TrainingFolder(place, about)
        try:
            self._go_on()
        except BaseException:
            self.folder.release()
            raise

    def run(
        self,
        progress: Callable[[Progress], object] | None = None,
        *,
        callbacks: Sequence[BaseCallback] = (),
        tensorboard: bool = False,
    ) -> Path:
        """Train to the end; return the policy's file. What is done already is not repeated.

        Parameters
        ----------
        progress : callable, optional
            Called after each step of all games.
        callbacks : sequence of BaseCallback
            Of Stable-Baselines3, for what else is to happen, such as telling a tracker: what one keeps itself is not in
            a checkpoint, and one whose ``_on_step`` returns False ends the training early.
        tensorboard : bool
            Whether to log for TensorBoard, too, into the folder ``tensorboard``.

        Raises
        ------
        ImportError
            If TensorBoard is asked for and missing.
        RuntimeError
            If the algorithm fails, or this training was interrupted: another `Training` goes on at its last checkpoint.
        """
        if self._begun and not self.progress.done:
            raise RuntimeError("this training was interrupted: make another Training, to go on at the last checkpoint")
        self._tell, self._begun = progress or self._tell, True
        self._callbacks, self._formats = list(callbacks), [_for_tensorboard(self.folder.path)] if tensorboard else []
        try:
            if not self.progress.done:
                with one_thread():
                    self._learn()
        finally:
            self.folder.release()
        return self.folder.policy

    def mark(self) -> None:
        """Evaluate, keep the policy if it is the best so far, and save a checkpoint.

        The generators of what is random in training get a new seed at every checkpoint: nothing else of their state
        has to be saved.
        """
        self.progress.timesteps = self.model.num_timesteps
        policy, seed = TrainedPolicy(self.model, self._view), HELD_OUT_SEEDS + self._seed
        counts = mistakes_in_games(policy, self._environment, self._held_out_games(), seed, **self.options)
        latest = Evaluation(self.progress.timesteps, float(counts.mean()), float(counts.std(ddof=1)))
        self.progress.evaluations.append(latest)
        if latest.mistakes <= min(one.mistakes for one in self.progress.evaluations):
            training = {
                "environment": self._environment, "seed": self._seed, "settings": asdict(self._settings),
                "options": self.options, "held_out_mistakes": latest.mistakes,
            }  # fmt: skip
            save(self.model, self.folder.policy, self._view, training)
        self.model.logger.record("held_out/mistakes", latest.mistakes)
        self._save()
        self.folder.save_evaluations(self.progress.evaluations)
        self._reseed()
        self.tell()

    def tell(self) -> None:
        """Report how far training has come; what the caller raises is not the algorithm's failure."""
        try:
            self._tell(self.progress)
        except Exception as error:
            self._callers = error
            raise

    def resume(self) -> None:
        """Begin the first rollout after a checkpoint as it began before, its state-dependent noise already drawn."""
        if self._drawn is not None:
            distribution = self._explorer()
            distribution.exploration_mat, distribution.exploration_matrices = self._drawn
        self._reseed()

    def _build(self) -> None:
        """Make the games and the model."""
        settings = self._settings
        for what, given, here in (("options", self.options, CHOSEN_HERE), ("arguments", settings.arguments, TAKEN)):
            if taken := [name for name in here if name in given]:
                raise ValueError(f"{what} must leave {', '.join(taken)} to training")
        told: dict[str, Any] = {"info_level": "none", "autoreset_mode": "Disabled"} | self.options
        try:
            games = gymnasium.make_vec(self._environment, num_envs=settings.games, **told)
        except gymnasium.error.Error as error:
            found = f"{self._environment!r} (import strategic_env first): {error}"
            raise ValueError(f"environment must be one of strategic_env, got {found}") from error
        self._games = GymnasiumVecEnv(ViewedVectorEnv(games, settings.view))
        self._view: View = self._games.get_attr("view", 0)[0]
        kind = algorithm_class(ALGORITHMS[settings.algorithm])
        try:
            self._normalized = VecNormalize(self._games, **settings.normalize) if settings.normalize else None
            self.model: BaseAlgorithm = kind(env=self._env(), seed=self._seed, device="cpu", **settings.built())
        except (AssertionError, TypeError, ValueError, RuntimeError, AttributeError, KeyError) as error:
            raise ValueError(f"{kind.__name__} cannot be built with these hyper-parameters: {_said(error)}") from error
        self._games.seed(TRAINING_SEEDS + self._seed)

    def _go_on(self) -> None:
        """Continue what the folder holds, if it holds anything."""
        saved = self.folder.checkpoint((MODEL, AROUND, PROGRESS))
        if saved is not None:
            try:
                self._load(saved)
            except Exception as error:  # pickles of other versions fail in every way
                raise ValueError(f"{self.folder.path} holds a checkpoint that cannot be used: {BEGIN_ANEW}") from error
            if self.folder.evaluations() != self.progress.evaluations:  # killed in between
                self.folder.save_evaluations(self.progress.evaluations)
        else:
            self.progress.evaluations = self.folder.evaluations()
            if not self.progress.evaluations and self.folder.policy.exists():
                if self.folder.policy_of().get("timesteps") != 0:
                    raise ValueError(f"{self.folder.path} has lost all but the policy of its training: {BEGIN_ANEW}")
            if self.progress.evaluations and not self.progress.done:
                raise ValueError(f"{self.folder.path} has lost the checkpoint of its training: {BEGIN_ANEW}")
        if self.progress.evaluations and not self.folder.holds_its_policy():
            raise ValueError(f"{self.folder.path} has lost the policy of its training: {BEGIN_ANEW}")

    def _learn(self) -> None:
        begun = bool(self.progress.evaluations)
        log = self.folder.path / f"log-from-{self.progress.timesteps}.csv"
        self.model.set_logger(Logger(None, [CSVOutputFormat(str(log)), *self._formats]))
        try:
            left = self.progress.total - self.progress.timesteps
            self.model.learn(left, callback=[_Marks(self), *self._callbacks], reset_num_timesteps=not begun)
            self.mark()
        except (AssertionError, TypeError, ValueError, RuntimeError, ArithmeticError, LookupError, NameError) as error:
            if error is self._callers:
                raise
            rounds = f"{self.model.num_timesteps:,} rounds"
            raise RuntimeError(f"{type(self.model).__name__} failed after {rounds}: {_said(error)}") from error
        finally:
            self.model.logger.close()

    def _held_out_games(self) -> int:
        """Return how many games an evaluation plays: all of them together last as long as training, if they can."""
        as_long = self.progress.total // (CHECKPOINTS * self._view.horizon)
        return min(max(as_long, FEWEST_HELD_OUT_GAMES), MOST_HELD_OUT_GAMES)

    def _env(self) -> VecEnv:
        return self._games if self._normalized is None else self._normalized

    def _noise(self) -> tuple[torch.Tensor, torch.Tensor] | None:
        if not getattr(self.model, "use_sde", False):
            return None
        distribution = self._explorer()
        return distribution.exploration_mat.detach(), distribution.exploration_matrices.detach()

    def _explorer(self) -> Any:
        """Return the distribution that holds state-dependent noise."""
        return getattr(self.model.policy, "actor", self.model.policy).action_dist

    def _reseed(self) -> None:
        words = np.random.SeedSequence([self._seed, self.progress.timesteps]).generate_state(1)
        self.model.set_random_seed(int(words[0]))

    def _save(self) -> None:
        """Save everything that training goes on from."""
        returns = None if self._normalized is None else self._normalized.returns
        memory = getattr(self.model, "_last_lstm_states", None)
        buffer = getattr(self.model, "replay_buffer", None)
        around = (self._games, self._normalized, returns, memory, buffer, self._noise())
        model = io.BytesIO()
        self.model.save(model)
        progress = json.dumps(asdict(self.progress) | {"versions": versions()}).encode()
        self.folder.save_checkpoint({MODEL: model.getvalue(), AROUND: pickle.dumps(around), PROGRESS: progress})

    def _load(self, saved: Mapping[str, bytes]) -> None:
        """Go on from what `_save` saved; the file is trusted, as all pickles must be."""
        said = json.loads(saved[PROGRESS])
        if said["versions"] != versions():
            warnings.warn(
                f"{self.folder.path} was begun with {said['versions']}: other versions may end with another policy",
                stacklevel=2,
            )
        self.progress.timesteps = said["timesteps"]
        self.progress.evaluations = [Evaluation(**one) for one in said["evaluations"]]
        self._games, self._normalized, returns, memory, buffer, self._drawn = pickle.loads(saved[AROUND])
        if self._normalized is not None:
            self._normalized.set_venv(self._games)
            self._normalized.returns = returns
        self.model = type(self.model).load(io.BytesIO(saved[MODEL]), env=self._env(), device="cpu", force_reset=False)
        model: Any = self.model
        if memory is not None:
            model._last_lstm_states = memory
        if buffer is not None:
            model.replay_buffer = buffer


class _Marks(BaseCallback):
    """Evaluates and saves when a checkpoint is due: between two rollouts, when nothing is half done."""

    def __init__(self, training: Training) -> None:
        super().__init__()
        self._training = training
        self._resumed = bool(training.progress.evaluations)

    def _on_rollout_start(self) -> None:
        if self._resumed:
            self._training.resume()
            self._resumed = False
        if self.num_timesteps >= self._training.progress.next_mark():
            self._training.mark()

    def _on_step(self) -> bool:
        self._training.progress.timesteps = self.num_timesteps
        self._training.tell()
        return True


def _for_tensorboard(folder: Path) -> TensorBoardOutputFormat:
    try:
        return TensorBoardOutputFormat(str(folder / TENSORBOARD))
    except (ImportError, AssertionError) as error:  # Stable-Baselines3 asserts that it is there
        raise missing_extra("logging for TensorBoard", "tensorboard", "rl") from error


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread: sums in another order would round otherwise."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def whole_rollouts(model: BaseAlgorithm, timesteps: int, horizon: int) -> int:
    """Return ``timesteps`` rounded up to whole rollouts, after each of which a model learns.

    Raises
    ------
    ValueError
        If the model would learn nothing in so few rounds.
    """
    details: Any = model
    if isinstance(model, OnPolicyAlgorithm):
        steps, idle = details.n_steps, 0
    else:
        steps, idle = details.train_freq.frequency, details.learning_starts
        steps *= horizon if details.train_freq.unit.value == "episode" else 1
    rollout: int = steps * model.n_envs
    total = -(-timesteps // rollout) * rollout
    # A schedule that falls to 0 is there after the last rollout.
    least = (idle // rollout + 2) * rollout
    if total < least:
        raise ValueError(
            f"timesteps must be at least {least - rollout + 1:,}, got {timesteps:,}: they are rounded up to whole "
            f"rollouts of {rollout:,} rounds ({steps:,} in each of {model.n_envs} games), after each of which the "
            f"policy learns, and it takes at least {least // rollout:,} of them"
        )
    return total


def _said(error: Exception) -> str:
    """Return what an error of another library says, in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def mistakes_in_games(policy: TrainedPolicy, environment: str, games: int, seed: int, **options: Any) -> Int:
    """Return the mistakes (games,) of a policy in the first episode of each game of a seed."""
    told: dict[str, Any] = options | {"info_level": "outcome", "autoreset_mode": "Disabled"}
    env = gymnasium.make_vec(environment, num_envs=games, **told)
    observation, _ = env.reset(seed=seed)
    state, mistakes, over = None, np.zeros(games, dtype=np.int64), False
    while not over:
        published, state = policy.predict(observation, state)
        observation, _, _, truncated, infos = env.step(published)
        mistakes += infos["mistake"]
        over = bool(truncated.all())
    return mistakes
