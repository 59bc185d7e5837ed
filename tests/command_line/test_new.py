"""The file that `explorer new` writes runs at once, and its oracle is right."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.command_line.main import main
from explorer.engine.catalogue.recipe import Recipe


@pytest.fixture
def mine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["new", str(tmp_path / "mine")]) == 0
    assert "runs as it is" in capsys.readouterr().out
    return f"{tmp_path / 'mine.py'}:problem"


def test_it_trains_to_a_certificate(mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", mine, "--C", "10"]) == 0
    assert "a certificate, the oracle is exact" in capsys.readouterr().out


def test_its_oracle_finds_what_listing_all_assignments_finds(mine: str) -> None:
    problem: Any = Recipe.of(mine).problem()[0]
    rng = np.random.default_rng(3)
    for i in range(5):
        w, truth = rng.normal(size=problem.dim), problem.dataset.labels[i]

        def worth(y: Any, i: int = i, w: Any = w) -> float:
            return float(problem.loss(i, y) + w @ problem.features(i, y))

        every = [np.array(y) for y in itertools.permutations(range(len(truth)))]
        assert worth(problem.oracle(w, i).label) == pytest.approx(max(map(worth, every)))


def test_a_file_that_exists_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("precious = 1\n")
    assert main(["new", str(tmp_path / "mine.py")]) == 2
    assert "exists already" in capsys.readouterr().err
    assert (tmp_path / "mine.py").read_text() == "precious = 1\n"
