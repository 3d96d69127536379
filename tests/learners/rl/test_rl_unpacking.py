"""Files that unpack to much more than they are: refused before they are unpacked."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from rl_models import built

import strategic_env  # noqa: F401  (which registers the environments)
from learners.rl import load, save
from learners.rl.saved_policy import ABOUT, WEIGHTS, about_of
from learners.rl.training_folder import CHECKPOINT, PROGRESS, SETTINGS, TrainingFolder

MEGABYTE = 2**20
ZEROS = bytes(64 * MEGABYTE)  # some 64 kB when they are packed


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return the file of a policy."""
    model, view = built()
    save(model, tmp_path / "policy.zip", view)
    return tmp_path / "policy.zip"


@pytest.fixture
def _little_memory() -> Iterator[None]:
    """Fail where more than a few megabytes are in use at once."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE
    finally:
        tracemalloc.stop()


def packed(parts: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(saved: Path, weights: bytes | None = None, **about: Any) -> Path:
    """Write a policy's file with other weights, or that says something else of its policy."""
    parts = unpacked(saved.read_bytes())
    said = json.loads(parts[ABOUT]) | about
    path = saved.with_name("changed.zip")
    path.write_bytes(
        packed({ABOUT: json.dumps(said).encode(), WEIGHTS: parts[WEIGHTS] if weights is None else weights})
    )
    return path


def reason(path: Path) -> str:
    """Return why a policy's file is refused."""
    with pytest.raises(ValueError, match=r"path must name a policy that learners\.rl\.save wrote") as refused:
        load(path)
    return str(refused.value.__cause__)


@pytest.fixture
def bomb(saved: Path) -> Path:
    return changed(saved, ZEROS)


@pytest.fixture
def nested_bomb(saved: Path) -> Path:
    inner = unpacked(unpacked(saved.read_bytes())[WEIGHTS])
    return changed(saved, packed(inner | {"archive/data/99": ZEROS}))


@pytest.mark.usefixtures("bomb", "_little_memory")
def test_weights_that_unpack_to_more_than_a_network_has_are_refused(bomb: Path) -> None:
    assert bomb.stat().st_size < MEGABYTE
    assert "weights.pth must have at most" in reason(bomb) and "got 67,108,864" in reason(bomb)


@pytest.mark.usefixtures("nested_bomb", "_little_memory")
def test_weights_that_torch_would_unpack_to_more_are_refused(nested_bomb: Path) -> None:
    assert "weights.pth must unpack to at most" in reason(nested_bomb)


def test_weights_that_are_many_by_repetition_are_refused(saved: Path) -> None:
    weights = dict(load(saved)._policy.state_dict())
    content = io.BytesIO()
    torch.save(weights | {"log_std": torch.zeros(1).expand(2**30)}, content)
    assert "log_std must hold finite numbers of torch.float32 in the shape" in reason(
        changed(saved, content.getvalue())
    )


@pytest.mark.parametrize("layers", [[3000, 3000], {"pi": [8], "vf": [3000, 3000]}])
def test_a_network_larger_than_its_weights_is_not_built(layers: object, saved: Path) -> None:
    assert "weights.pth must hold the weights of the network" in reason(
        changed(saved, policy_kwargs={"net_arch": layers})
    )


def test_a_large_file_of_another_kind_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**32)  # which takes no room on the disk
    tracemalloc.start()
    for read in (load, about_of):
        with pytest.raises(ValueError, match="damaged or of another kind"):
            read(path)
    assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE
    tracemalloc.stop()


def test_a_checkpoint_that_unpacks_to_more_than_it_is_is_refused(tmp_path: Path) -> None:
    TrainingFolder(tmp_path, {"seed": 1}).release()
    about = (tmp_path / SETTINGS).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(packed({SETTINGS: about, PROGRESS: ZEROS}))
    folder = TrainingFolder(tmp_path, {"seed": 1})
    tracemalloc.start()
    with pytest.raises(ValueError, match="is no checkpoint of a training, or damaged"):
        folder.checkpoint((PROGRESS,))
    assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE
    tracemalloc.stop()
    folder.release()
