"""A small work from end to end: every contestant in its own process, a table, records and a picture."""

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.__main__ import main
from explorer.bench import rounds
from explorer.bench.work import Clock, Missing, data_file
from explorer.bench.works import NAMES, work_named


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny file in the form of the real one."""
    rng = np.random.default_rng(0)
    lengths, folds = np.full(24, 3), np.arange(24) % 10
    labels = rng.integers(0, 26, 72)
    pixels = rng.integers(0, 2, (26, 128))[labels]
    np.savez(
        tmp_path / "letters.npz",
        pixels=np.packbits(pixels, axis=1),
        labels=labels,
        lengths=lengths,
        folds=folds,
    )
    monkeypatch.setenv("EXPLORER_DATA", str(tmp_path))
    return tmp_path


def test_a_work_writes_a_table_records_and_a_picture(
    letters: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, told = letters / "out", letters / "told.json"
    args = ["bench", "letters", "--only", "sequential dual, 1%", "--repeats", "2"]
    assert main([*args, "--out", str(out), "--json", str(told)]) == 0
    tree = json.loads(told.read_text())
    row = tree["contestants"]["sequential dual, 1%"]
    assert len(row["runs"]) == 2
    assert 0.0 <= row["gap"] <= 0.01
    assert row["memory"] > 10.0
    assert (out / "letters.svg").read_text().startswith("<svg")
    assert "| sequential dual, 1% | 2 |" in (out / "table.md").read_text()
    assert "round 2" in capsys.readouterr().out


def test_data_that_are_not_there_are_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXPLORER_DATA", raising=False)
    record = rounds.run_child("letters", "sequential dual, 1%")
    assert record == {"skipped": "set EXPLORER_DATA to the folder that holds letters.npz"}
    with pytest.raises(Missing, match="is missing"):
        data_file(Path("/nowhere"), "x")


def test_a_run_that_fails_is_told_with_its_last_words() -> None:
    assert "KeyError" in rounds.run_child("digits", "nobody")["skipped"]


def test_works_are_listed_and_an_unknown_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in NAMES)
    assert main(["bench", "nothing"]) == 2
    assert "choose among letters" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_every_work_has_its_name_and_contestants(name: str) -> None:
    work = work_named(name)
    assert work.name == name
    assert work.contestants
    assert set(work.once) <= set(work.contestants)
    assert work.judge({}) == []


def test_a_clock_counts_from_its_beginning() -> None:
    with Clock() as clock:
        assert clock.now >= 0.0
    assert clock.wall >= 0.0
    assert clock.memory > 1.0
