"""A run is kept whatever happens to the disk, or to the oracle of the user's own."""

import errno
import tempfile
from pathlib import Path
from typing import Any

import pytest

from explorer.command_line import keeping
from explorer.command_line.main import main
from explorer.engine.catalogue.files import file_task
from explorer.engine.runs import saved

FAILING = """
import numpy as np
from explorer import Dataset, Listed

calls = [0]


def psi(x, y):
    calls[0] += 1
    if calls[0] > 200:
        raise OSError("the graphics card has no memory left")
    return np.array([x * y, float(y)])


problem = Listed(
    Dataset("line", [-2.0, -1.0, 1.0, 2.0], [-1, -1, 1, 1]),
    psi=psi,
    delta=lambda y, guess: float(y != guess),
    outputs=lambda x: (-1, 1),
    dim=2,
)
"""


def full(path: Path, content: bytes) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_does_not_end_the_run_and_the_last_save_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted, other = tmp_path / "full", tmp_path / "other"
    wanted.mkdir()
    other.mkdir()
    write = saved.replace_whole

    def full_there(path: Path, content: bytes) -> None:
        full(path, content) if path.parent == wanted else write(path, content)

    monkeypatch.setattr(saved, "replace_whole", full_there)
    monkeypatch.setattr(keeping, "AUTOSAVE", 0.0)
    monkeypatch.chdir(other)
    assert main(["train", "circle", "--out", str(wanted / "run.zip")]) == 0
    out = capsys.readouterr().out
    assert out.count("The run goes on, but it is not saved yet") == 1
    (kept,) = other.glob("run-*.zip")
    assert f"The run is saved to {kept} instead." in out
    assert len(saved.load(kept).trace) == 3


def test_a_folder_that_cannot_be_written_is_found_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = tempfile.TemporaryFile

    def refused(*given: Any, **options: Any) -> Any:
        if options.get("dir") == tmp_path:
            raise OSError(errno.EROFS, "Read-only file system")
        return make(*given, **options)

    monkeypatch.setattr(keeping.tempfile, "TemporaryFile", refused)
    for command in (
        ["train", "circle", "--out"],
        ["path", "circle", "--out"],
        ["reproduce", "temperature", "--csv"],
    ):
        assert main([*command, str(tmp_path / "out.zip")]) == 2
        assert f"nothing can be written to {tmp_path} (Read-only file system)" in capsys.readouterr().err


def test_what_was_reached_is_kept_when_a_users_oracle_fails(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FAILING)
    out = tmp_path / "run.zip"
    with pytest.raises(OSError, match="graphics card"):
        main(
            [
                "train",
                f"{tmp_path / 'mine.py'}:problem",
                "--relative-gap",
                "0",
                "--learner",
                "subgradient",
                "--out",
                str(out),
            ]
        )
    kept = saved.load(out).trace
    assert len(kept) > 1
    assert kept.stops[-1][1].reason == "failed"
    assert "graphics card" in kept.stops[-1][1].sentence


def test_samples_are_found_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    task = file_task(Path("sample_data/kitchen.svmlight"))
    assert task.name == "sample_data/kitchen.svmlight"
    assert task.source is not None
    assert len(task.source.make(task.data())[0].labels) > 0


def test_a_run_of_a_sample_is_opened_again_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", "sample_data/names.conll", "--steps", "3", "--out", "run.zip"]) == 0
    assert main(["train", "--resume", "run.zip", "--steps", "5", "--out", "run.zip"]) == 0
    assert "saved to run.zip" in capsys.readouterr().out
