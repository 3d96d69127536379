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

from agents.foundation.checks import json_value, shown
from agents.foundation.extras import missing_extra
from agents.foundation.files import UNFINISHED, made_folder, refuse_links, replacing, write_csv
from learners.rl.saved_policy import POLICY, about_of

try:
    from filelock import FileLock, Timeout
except ModuleNotFoundError as error:
    raise missing_extra("training", error.name or "filelock", "rl") from error

SETTINGS, CHECKPOINT, EVALUATIONS = "settings.json", "checkpoint.zip", "evaluations.csv"
KEPT = (CHECKPOINT, POLICY, EVALUATIONS)
PROGRESS = "progress.json"  # in a checkpoint
LOGS = "log-from-*.csv"
LOCK = ".lock"
NOTHING = "nothing"  # where a setting is not given
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
        If the folder cannot be made or written to, or holds links, pipes or folders in place of files.
    ValueError
        If it holds something else, or another process trains there.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path, self.policy = path, path / POLICY
        self._about = json.dumps({name: json_value(name, value) for name, value in about.items()}, indent=2)
        made_folder("out", path)
        refuse_links([*(path / name for name in (LOCK, SETTINGS, *KEPT)), *path.glob(LOGS)])
        self._lock = FileLock(path / LOCK, thread_local=False)
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
        said, *parts = self._parts([SETTINGS, *names])
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

    def policy_of(self) -> dict[str, Any]:
        """Return what the policy's file says of its training.

        Raises
        ------
        ValueError
            If it is no such file.
        """
        said = about_of(self.policy).get("training")
        return said if isinstance(said, dict) else {}

    def holds_its_policy(self) -> bool:
        """Whether the policy's file is there and of this training."""
        if not self.policy.exists():
            return False
        said = self.policy_of()
        of_training = dict(said.get("settings", {})) | {
            key: said.get(key) for key in ("environment", "seed", "options")
        }
        return _difference("", of_training, json.loads(self._about)) is None

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
        write_csv(self.path / EVALUATIONS, [field.name for field in fields(Evaluation)], map(astuple, evaluations))

    def _claim(self) -> None:
        """Note whose the folder is, and clear away what a process that was killed left unfinished."""
        file, asked = self.path / SETTINGS, json.loads(self._about)
        strange = [name for name in KEPT if (self.path / name).exists()]
        strange += sorted(path.name for path in self.path.glob(LOGS))
        if not file.exists() and strange:
            raise ValueError(f"{self.path} holds {', '.join(strange)} without {SETTINGS}: choose another folder")
        there = _parsed(file.read_bytes()) if file.exists() else asked
        if there is None or not asked.keys() <= there.keys():
            raise ValueError(f"{file} must hold the settings of a training: choose another folder")
        if (difference := _difference("", there, asked)) is not None:
            if not self._has_only_begun():
                name, *values = difference
                found, wanted = (NOTHING if value is NOTHING else shown(value) for value in values)
                raise ValueError(
                    f"{self.path} holds a training with {name} {found}, not {wanted}: choose another folder"
                )
            for name in strange:
                (self.path / name).unlink()
        if difference is not None or not file.exists():
            self._write(SETTINGS, self._about.encode())
        for name in (SETTINGS, *KEPT):
            for left in self.path.glob(f"{name}.[0-9]*-[0-9]*{UNFINISHED}"):
                left.unlink()

    def _has_only_begun(self) -> bool:
        """Whether what is here did not get beyond its first evaluation, before any training."""
        if len(self.evaluations()) > 1:
            return False
        if (self.path / CHECKPOINT).exists():
            progress = _parsed(*self._parts([PROGRESS])) or {}
            if len(progress.get("evaluations", "none")) > 1:
                return False
        return not self.policy.exists() or self.policy_of().get("timesteps") == 0

    def _parts(self, names: Sequence[str]) -> list[bytes]:
        """Return parts of the last checkpoint."""
        file = self.path / CHECKPOINT
        try:
            with zipfile.ZipFile(file) as archive:
                if any(archive.getinfo(name).compress_type != zipfile.ZIP_STORED for name in names):
                    raise zipfile.BadZipFile("checkpoints are not compressed")  # what is may unpack to anything
                return [archive.read(name) for name in names]
        except (zipfile.BadZipFile, zlib.error, KeyError, RuntimeError, NotImplementedError, EOFError) as error:
            raise ValueError(f"{file} is no checkpoint of a training, or damaged: {BEGIN_ANEW}") from error

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
    differences = (
        _difference(f"{name}.{key}".lstrip("."), one.get(key, NOTHING), other.get(key, NOTHING)) for key in one | other
    )
    return next((found for found in differences if found is not None), None)
