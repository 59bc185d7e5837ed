"""What files are called on the command line, and what a model takes of them."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.__main__ import main

ROOT = Path(__file__).parents[2]
NAMES = ROOT / "sample_data" / "names.conll"
WORDS = b"Ana\nlives\nin\nMadrid\n\nThe\nRoyal\nSociety\n"
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Runs a command in which stdin may be given; returns its code and what it wrote."""

    def run(*words: Any, given: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = main([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def test_predict_and_score_find_sample_files_from_every_folder(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert say("train", "sample_data/names.conll", "--out", "m.zip")[0] == 0
    code, out, _ = say("score", "m.zip", "sample_data/names.conll")
    assert code == 0
    assert "entity F1" in out
    code, out, _ = say("predict", "m.zip", "sample_data/names.conll")
    assert code == 0
    assert len(out.splitlines()) == len(NAMES.read_text().splitlines())


def test_words_alone_are_labelled_by_a_model_that_needs_no_columns(tmp_path: Path, say: Say) -> None:
    assert say("train", NAMES, "--features", "columns=no", "--out", tmp_path / "m.zip")[0] == 0
    code, out, _ = say("predict", tmp_path / "m.zip", "-", given=WORDS)
    assert code == 0
    kept = [line.split(" ")[0] for line in out.splitlines()]
    assert kept == WORDS.decode().splitlines()
    assert all(len(line.split(" ")) == 2 for line in out.splitlines() if line)


def test_a_model_that_needs_columns_says_so_and_calls_a_pipe_stdin(tmp_path: Path, say: Say) -> None:
    assert say("train", NAMES, "--out", tmp_path / "m.zip")[0] == 0
    code, _, sentence = say("predict", tmp_path / "m.zip", "-", given=WORDS)
    assert code == 2
    assert "stdin, line 1 has 1 column;" in sentence
    assert "--features columns=no" in sentence
    assert str(tmp_path.parent) not in sentence


def test_what_is_trained_from_a_pipe_is_called_stdin(say: Say) -> None:
    code, out, _ = say("train", "-", "--format", "conll", "--passes", "2", given=NAMES.read_bytes())
    assert code == 0
    assert out.startswith("stdin.conll: 8 examples")


def test_inspect_of_a_run_in_python_says_which_commands_know_it(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert say("new", "mine")[0] == 0
    assert say("train", "mine.py:problem", "--out", "m.zip")[0] == 0
    code, _, sentence = say("inspect", "m.zip")
    assert code == 2
    assert "`explorer show m.zip`" in sentence
    assert "`explorer predict m.zip mine.py:problem`" in sentence


def test_serve_refuses_a_missing_file_before_anything_is_compiled(say: Say) -> None:
    code, out, sentence = say("serve", "nothing.zip")
    assert (code, out) == (2, "")
    assert "there is no file nothing.zip" in sentence
