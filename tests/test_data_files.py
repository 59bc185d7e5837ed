"""Training on a data file from the command line: rows with labels, and a graph."""

from pathlib import Path

import pytest

from explorer.__main__ import main

SAMPLES = Path(__file__).parent.parent / "sample_data"


def test_rows_with_labels_train_with_roof_duality_and_with_every_other_oracle(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = str(SAMPLES / "kitchen.svmlight")
    assert main(["train", file]) == 0
    assert "the oracle is relaxed" in capsys.readouterr().out
    assert main(["train", file, "--oracle", "exhaustive", "--predictor", "greedy(start=nodewise)"]) == 0
    out = capsys.readouterr().out
    assert "20 examples" in out
    assert "a certificate, the oracle is exact" in out


def test_a_graph_trains_is_saved_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, run = str(SAMPLES / "karate.graphml"), str(tmp_path / "run.zip")
    asked = ["train", file, "--oracle", "roof duality", "--predictor", "roof duality"]
    assert main([*asked, "--steps", "2", "--out", run]) == 0
    assert main([*asked, "--resume", run]) == 0
    assert "karate.graphml" in capsys.readouterr().out


def test_a_treebank_trains_in_the_dual_is_saved_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, run = str(SAMPLES / "animals.conllu"), str(tmp_path / "run.zip")
    assert main(["train", file, "--steps", "2", "--out", run]) == 0
    assert main(["train", file, "--resume", run]) == 0
    assert "a certificate, the oracle is exact" in capsys.readouterr().out
    assert main(["train", file, "--oracle", "greedy heads", "--predictor", "Eisner"]) == 0
    assert "the oracle is relaxed" in capsys.readouterr().out
    assert main(["train", file, "--learner", "frank-wolfe"]) == 2
    assert "use the 1-slack learner" in capsys.readouterr().err
    broken = tmp_path / "broken.conllu"
    broken.write_text("1\tJa\n", encoding="utf-8")
    assert main(["train", str(broken)]) == 2
    assert "line 1 has 2 columns; give 10" in capsys.readouterr().err


def test_what_a_file_does_not_have_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", str(SAMPLES / "kitchen.svmlight"), "--loss", "hamming"]) == 2
    assert "Hamming" in capsys.readouterr().err
    assert main(["train", str(tmp_path / "missing.graphml")]) == 2
    assert "missing.graphml" in capsys.readouterr().err
    other = tmp_path / "run.zip"
    assert main(["train", "circle", "--out", str(other)]) == 0
    assert main(["train", str(SAMPLES / "karate.graphml"), "--resume", str(other)]) == 2
    assert "is not a run of karate.graphml" in capsys.readouterr().err
