"""Training that can be killed: the same command goes on at the last checkpoint, and ends as if nothing had happened."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from agents.checks import count, shown
from agents.extras import missing_extra
from agents.typing import Int
from learners.rl.policy import TrainedPolicy, algorithm_class, save
from learners.rl.settings import ALGORITHMS, Settings
from learners.rl.wrappers import ViewedVectorEnv

try:
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv, VecNormalize
except ModuleNotFoundError as error:
    raise missing_extra("training", error.name or "stable-baselines3", "rl") from error

from learners.rl.vector_adapter import GymnasiumVecEnv

# Games of different seeds never share a stream, so that these three ranges keep training, the evaluations during
# training, and whoever evaluates with seeds below 2**32 apart.
LARGEST_TRAINING_SEED = 2**32 - 1
TRAINING_SEEDS, HELD_OUT_SEEDS = 2**32, 2**33

CHECKPOINTS = 20
HELD_OUT_GAMES = 256

SETTINGS, CHECKPOINT, POLICY, EVALUATIONS = "settings.json", "checkpoint.zip", "policy.zip", "evaluations.csv"
MODEL, AROUND, PROGRESS = "model.zip", "around.pickle", "progress.json"


@dataclass(frozen=True)
class Evaluation:
    """What a policy did in held-out games.

    Attributes
    ----------
    timesteps : int
        Rounds of training before.
    mistakes : float
        Mean per game.
    """

    timesteps: int
    mistakes: float


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


def train(
    settings: Settings,
    environment: str,
    folder: str | Path,
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Path:
    """Train a policy, or go on with a training that was interrupted.

    It runs on one thread, where the same seed gives the same policy, whether or not it was interrupted in between.

    Parameters
    ----------
    settings : Settings
        How (`learners.rl.read_settings`).
    environment : str
        Id of a native vector environment of strategic classification, such as ``"strategic_env/KnownL2-v0"``.
    folder : str or Path
        For the policy (``policy.zip``, the best of all evaluations), the evaluations (``evaluations.csv``) and the last
        checkpoint.
    seed : int
        Below 2**32. Training plays the games of seed ``2**32 + seed``, evaluations those of ``2**33 + seed``: seeds
        below 2**32, as others use them, stay unseen.
    options : mapping, optional
        Options of the environment, which override those of the settings.
    progress : callable, optional
        Called after each step of all games with the `Progress` so far.

    Returns
    -------
    Path
        The policy's file.

    Raises
    ------
    ValueError
        If the folder holds another training, or a number is out of range.
    """
    seed = count("seed", seed, maximum=LARGEST_TRAINING_SEED)
    folder = Path(folder)
    chosen = settings.options | dict(options or {})
    claim(settings, environment, folder, seed=seed, options=chosen)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        _Training(settings, environment, folder, seed, chosen, progress).run()
    finally:
        torch.set_num_threads(threads)
    return folder / POLICY


def mistakes_in_games(policy: TrainedPolicy, environment: str, games: int, seed: int, **options: Any) -> Int:
    """Return the mistakes (games,) of a policy in the first episode of each game of a seed."""
    told: dict[str, Any] = options | {"info_level": "outcome", "autoreset_mode": "Disabled"}
    env = gymnasium.make_vec(environment, num_envs=games, **told)
    shown, _ = env.reset(seed=seed)
    state, mistakes, over = None, np.zeros(games, dtype=np.int64), False
    while not over:
        published, state = policy.predict(shown, state)
        shown, _, _, truncated, infos = env.step(published)
        mistakes += infos["mistake"]
        over = bool(truncated.all())
    return mistakes


class _Training:
    """One training: its model, its games, and how far it has come."""

    def __init__(
        self,
        settings: Settings,
        environment: str,
        folder: Path,
        seed: int,
        options: dict[str, Any],
        progress: Callable[[Progress], object] | None,
    ) -> None:
        self._settings, self._environment, self._folder, self._seed = settings, environment, folder, seed
        self._options, self._tell = options, progress
        self._drawn: tuple[torch.Tensor, torch.Tensor] | None = None
        if (folder / CHECKPOINT).exists():
            self._load()
        else:
            self._start()
        (self.view,) = self._games.get_attr("view", 0)

    def run(self) -> None:
        """Train to the end."""
        begun, left = bool(self.progress.evaluations), self.progress.total - self.progress.timesteps
        if left > 0:
            self.model.learn(left, callback=_Marks(self), log_interval=None, reset_num_timesteps=not begun)
            self.mark()

    def mark(self) -> None:
        """Evaluate, keep the policy if it is the best so far, and save a checkpoint.

        The generators of what is random in training get a new seed at every checkpoint: nothing else of their state
        has to be saved.
        """
        self.progress.timesteps = self.model.num_timesteps
        policy = TrainedPolicy(self.model, self.view)
        seed = HELD_OUT_SEEDS + self._seed
        mistakes = mistakes_in_games(policy, self._environment, HELD_OUT_GAMES, seed, **self._options)
        self.progress.evaluations.append(Evaluation(self.progress.timesteps, float(mistakes.mean())))
        if mistakes.mean() <= min(one.mistakes for one in self.progress.evaluations):
            training = {
                "environment": self._environment, "seed": self._seed, "settings": asdict(self._settings),
                "options": self._options, "held_out_mistakes": float(mistakes.mean()),
            }  # fmt: skip
            save(self.model, self._folder / POLICY, self.view, training)
        lines = [f"{one.timesteps},{one.mistakes!r}" for one in self.progress.evaluations]
        _write(self._folder / EVALUATIONS, "\n".join(["timesteps,mistakes", *lines, ""]).encode())
        self._save()
        self._reseed()
        self.tell()

    def tell(self) -> None:
        """Report how far training has come."""
        if self._tell is not None:
            self._tell(self.progress)

    def next_mark(self) -> int:
        """Return after how many rounds the next checkpoint is due."""
        total, marks = self.progress.total, self.progress.evaluations
        return (marks[-1].timesteps * CHECKPOINTS // total + 1) * total // CHECKPOINTS if marks else 0

    def _start(self) -> None:
        settings = self._settings
        told: dict[str, Any] = {"info_level": "none"} | self._options | {"autoreset_mode": "Disabled"}
        games = gymnasium.make_vec(self._environment, num_envs=settings.games, **told)
        self._games = GymnasiumVecEnv(ViewedVectorEnv(games, settings.view))
        normalize = settings.normalize
        self._normalized = VecNormalize(self._games, **normalize) if normalize else None
        kind = algorithm_class(ALGORITHMS[settings.algorithm])
        self.model = kind(env=self._env(), seed=self._seed, device="cpu", **settings.built())
        self._games.seed(TRAINING_SEEDS + self._seed)
        self.progress = Progress(0, settings.timesteps)

    def _env(self) -> VecEnv:
        return self._games if self._normalized is None else self._normalized

    def resume(self) -> None:
        """Begin the first rollout after a checkpoint as it began before, its state-dependent noise already drawn."""
        if self._drawn is not None:
            distribution = self._explorer()
            distribution.exploration_mat, distribution.exploration_matrices = self._drawn
        self._reseed()

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
        """Save everything that training goes on from, at once or not at all."""
        returns = None if self._normalized is None else self._normalized.returns
        memory = getattr(self.model, "_last_lstm_states", None)
        buffer = getattr(self.model, "replay_buffer", None)
        around = (self._games, self._normalized, returns, memory, buffer, self._noise())
        model, content = io.BytesIO(), io.BytesIO()
        self.model.save(model)
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr(MODEL, model.getvalue())
            archive.writestr(AROUND, pickle.dumps(around))
            archive.writestr(PROGRESS, json.dumps(asdict(self.progress)))
        _write(self._folder / CHECKPOINT, content.getvalue())

    def _load(self) -> None:
        """Go on from what `_save` saved; the file is trusted, as all pickles must be."""
        with zipfile.ZipFile(self._folder / CHECKPOINT) as archive:
            model, around, progress = (archive.read(name) for name in (MODEL, AROUND, PROGRESS))
        said = json.loads(progress)
        evaluations = [Evaluation(**one) for one in said["evaluations"]]
        self.progress = Progress(said["timesteps"], said["total"], evaluations)
        self._games, self._normalized, returns, memory, buffer, self._drawn = pickle.loads(around)
        if self._normalized is not None:
            self._normalized.set_venv(self._games)
            self._normalized.returns = returns
        kind = algorithm_class(ALGORITHMS[self._settings.algorithm])
        self.model = kind.load(io.BytesIO(model), env=self._env(), device="cpu", force_reset=False)
        if memory is not None:
            self.model._last_lstm_states = memory
        if buffer is not None:
            self.model.replay_buffer = buffer


class _Marks(BaseCallback):
    """Evaluates and saves when a checkpoint is due: between two rollouts, when nothing is half done."""

    def __init__(self, training: _Training) -> None:
        super().__init__()
        self._training = training
        self._resumed = bool(training.progress.evaluations)

    def _on_rollout_start(self) -> None:
        if self._resumed:
            self._training.resume()
            self._resumed = False
        if self.num_timesteps >= self._training.next_mark():
            self._training.mark()

    def _on_step(self) -> bool:
        self._training.progress.timesteps = self.num_timesteps
        self._training.tell()
        return True


def claim(
    settings: Settings, environment: str, folder: Path, *, seed: int = 0, options: Mapping[str, Any] | None = None
) -> None:
    """Note in a folder what is trained there, before the work; arguments as for `train`.

    Raises
    ------
    OSError
        If the folder cannot be made or written to.
    ValueError
        If another training is there already.
    """
    chosen = settings.options | dict(options or {})
    about = {"environment": environment, "seed": seed, **asdict(settings), "options": chosen}
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(about, indent=2)
    if not (folder / SETTINGS).exists():
        _write(folder / SETTINGS, text.encode())
        return
    try:
        there = dict(json.loads((folder / SETTINGS).read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{folder / SETTINGS} must hold the settings of a training: {error}") from error
    asked = json.loads(text)
    for name in asked:
        if there.get(name) != asked[name]:
            raise ValueError(
                f"{folder} holds a training with {name} {shown(there.get(name))}, not {shown(asked[name])}: "
                "choose another folder"
            )


def _write(path: Path, content: bytes) -> None:
    """Write a file at once or not at all."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(path)
