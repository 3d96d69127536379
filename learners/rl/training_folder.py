"""The folder of a training: whose it is, its last checkpoint, its evaluations and its best policy."""

import csv
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from agents.checks import shown
from agents.extras import missing_extra
from agents.files import UNFINISHED, replacing
from learners.rl.saved_policy import POLICY, about_of

try:
    from filelock import FileLock, Timeout
except ModuleNotFoundError as error:
    raise missing_extra("training", error.name or "filelock", "rl") from error

SETTINGS, CHECKPOINT, EVALUATIONS = "settings.json", "checkpoint.zip", "evaluations.csv"
LOCK = ".lock"
BEGIN_ANEW = "delete the folder to begin anew"


@dataclass(frozen=True)
class Evaluation:
    """What a policy did in held-out games.

    Attributes
    ----------
    timesteps : int
        Rounds of training before.
    mistakes, deviation : float
        Mean and standard deviation per game.
    """

    timesteps: int
    mistakes: float
    deviation: float


class TrainingFolder:
    """A folder that belongs to one training, and to one process as long as that trains.

    Parameters
    ----------
    path : Path
    about : mapping
        What is trained: JSON values.

    Raises
    ------
    OSError
        If the folder cannot be made or written to.
    ValueError
        If it holds something else, or another process trains there.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path, self.policy = path, path / POLICY
        self._about = _as_json(about)
        path.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(path / LOCK)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise ValueError(f"{path} is in use: another training goes on there") from None
        try:
            self._claim()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let others train here."""
        self._lock.release()

    def checkpoint(self, names: Sequence[str]) -> dict[str, bytes] | None:
        """Return the last checkpoint by the ``names`` of its parts; None if there is none.

        Raises
        ------
        ValueError
            If the file is damaged, or of another training.
        """
        file = self.path / CHECKPOINT
        if not file.exists():
            return None
        try:
            with zipfile.ZipFile(file) as archive:
                said, *parts = (archive.read(name) for name in (SETTINGS, *names))
        except (zipfile.BadZipFile, zlib.error, KeyError, RuntimeError, NotImplementedError, EOFError) as error:
            raise ValueError(f"{file} is no checkpoint of a training, or damaged: {BEGIN_ANEW}") from error
        if _difference("", _parsed(said), json.loads(self._about)) is not None:
            raise ValueError(f"{file} is of another training: {BEGIN_ANEW}")
        return dict(zip(names, parts, strict=True))

    def save_checkpoint(self, parts: Mapping[str, bytes]) -> None:
        """Replace the last checkpoint, at once or not at all."""
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name, part in {SETTINGS: self._about.encode(), **parts}.items():
                archive.writestr(name, part)
        self._write(CHECKPOINT, content.getvalue())

    def holds_policy_of(self, seed: int, environment: str) -> bool:
        """Whether the policy's file is there and of this training."""
        if not self.policy.exists():
            return False
        said = about_of(self.policy)["training"]
        return bool((said.get("seed"), said.get("environment")) == (seed, environment))

    def evaluations(self) -> list[Evaluation]:
        """Return the saved evaluations; none where nothing was saved.

        Raises
        ------
        ValueError
            If the file holds something else.
        """
        file = self.path / EVALUATIONS
        if not file.exists():
            return []
        try:
            with file.open(encoding="utf-8", newline="") as lines:
                rows = list(csv.DictReader(lines))
            return [Evaluation(int(row["timesteps"]), float(row["mistakes"]), float(row["deviation"])) for row in rows]
        except (KeyError, ValueError, TypeError, csv.Error) as error:
            raise ValueError(f"{file} holds no evaluations of a training: {BEGIN_ANEW}") from error

    def save_evaluations(self, evaluations: Sequence[Evaluation]) -> None:
        """Replace the evaluations."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([field.name for field in fields(Evaluation)])
        writer.writerows(astuple(one) for one in evaluations)
        self._write(EVALUATIONS, text.getvalue().encode())

    def _claim(self) -> None:
        """Note whose the folder is; a training that has not got beyond its first rounds gives way to another."""
        for left in self.path.glob(f"*{UNFINISHED}"):  # of a process that was killed while it wrote
            left.unlink()
        file, kept = self.path / SETTINGS, [self.path / name for name in (CHECKPOINT, POLICY, EVALUATIONS)]
        if not file.exists():
            strange = [path.name for path in kept if path.exists()]
            if strange:
                raise ValueError(f"{self.path} holds {', '.join(strange)} without {SETTINGS}: choose another folder")
            self._write(SETTINGS, self._about.encode())
            return
        there = _parsed(file.read_bytes())
        if not there:
            raise ValueError(f"{file} must hold the settings of a training: {BEGIN_ANEW}")
        if (difference := _difference("", there, json.loads(self._about))) is not None:
            if len(self.evaluations()) <= 1:
                for path in kept:
                    path.unlink(missing_ok=True)
                self._write(SETTINGS, self._about.encode())
                return
            name, found, wanted = difference
            raise ValueError(
                f"{self.path} holds a training with {name} {shown(found)}, not {shown(wanted)}: choose another folder"
            )

    def _write(self, name: str, content: bytes) -> None:
        with replacing(self.path / name) as unfinished:
            unfinished.write_bytes(content)


def _parsed(text: bytes) -> dict[str, Any] | None:
    """Return the settings that a file says; None if it says none."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def _difference(name: str, one: object, other: object) -> tuple[str, object, object] | None:
    """Return where two values of JSON differ first, and what is there."""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return None if one == other else (name, one, other)
    differences = (_difference(f"{name}.{key}".lstrip("."), one.get(key), other.get(key)) for key in one | other)
    return next((found for found in differences if found is not None), None)


def _as_json(about: Mapping[str, Any]) -> str:
    for name, value in about.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{name} must hold JSON values, got {shown(value)}: {error}") from error
    return json.dumps(about, indent=2)
