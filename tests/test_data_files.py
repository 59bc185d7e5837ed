"""Training on a data file from the command line: rows with labels, and a graph."""

import shutil
from pathlib import Path

import pytest

from explorer.__main__ import main
from explorer.engine.runs.saved import load

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


def test_a_file_has_the_losses_prices_oracles_and_models_of_its_structure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = str(SAMPLES / "kitchen.svmlight"), str(tmp_path / "run.zip")
    exact = ["--oracle", "exhaustive", "--predictor", "exhaustive"]
    asked = [
        "--loss",
        "hamming-percent",
        "--scaling",
        "slack",
        "--model",
        "edges=none",
        "--learner",
        "n-slack",
    ]
    assert main(["train", file, *exact, *asked, "--C", "0.1", "--out", out]) == 0
    said = capsys.readouterr().out
    assert (
        "20 examples, 44 weights; n-slack" in said
    )  # 4 labels with 11 ingredients each, and no pairs of labels
    assert "a certificate, the oracle is exact" in said
    assert "(mean hamming-percent)" in said
    recipe = load(out).recipe
    assert (recipe["task"], recipe["scaling"], recipe["model"]) == (file, "slack", {"edges": "none"})
    assert main(["tasks", str(SAMPLES / "animals.conllu")]) == 0
    said = capsys.readouterr().out
    assert "--model form=dual" in said
    assert "--loss    attachment-error, wrong-heads" in said


def test_a_path_is_followed_on_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--oracle", "roof duality", "--predictor", "roof duality", "--from", "1", "--to", "2"]
    assert main(["path", str(SAMPLES / "karate.graphml"), *asked, "--eps", "0.2"]) == 0
    assert "karate.graphml: 1 examples; 1-slack cutting plane, C from 1 to 2" in capsys.readouterr().out


def test_a_saved_run_finds_its_file_where_it_was_or_beside_it_or_says_which_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    shutil.copy(SAMPLES / "kitchen.svmlight", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    assert main(["train", "data/kitchen.svmlight", "--steps", "1", "--out", "run.zip"]) == 0
    assert main(["train", "--resume", "run.zip", "--steps", "1"]) == 0
    monkeypatch.chdir("/")
    assert main(["train", "--resume", str(tmp_path / "run.zip")]) == 2
    assert "is a run of data/kitchen.svmlight, which is not found here; give" in capsys.readouterr().err
    shutil.copy(SAMPLES / "kitchen.svmlight", tmp_path)
    assert main(["train", "--resume", str(tmp_path / "run.zip"), "--steps", "1"]) == 0


def test_what_a_file_does_not_have_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", str(SAMPLES / "kitchen.svmlight"), "--loss", "attachment-error"]) == 2
    assert "has no loss 'attachment-error'; choose one of hamming" in capsys.readouterr().err
    assert main(["train", str(tmp_path / "missing.graphml")]) == 2
    assert "missing.graphml; check its name" in capsys.readouterr().err
    other = tmp_path / "run.zip"
    assert main(["train", "circle", "--out", str(other)]) == 0
    assert main(["train", str(SAMPLES / "karate.graphml"), "--resume", str(other)]) == 2
    assert "is a run of circle, another task than" in capsys.readouterr().err


def test_a_file_of_columns_is_trained_and_another_measures_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = tmp_path / "names.conll", tmp_path / "others.conll"
    train.write_text("Ana N B-PER\nsleeps V O\n\nRome N B-LOC\nsleeps V O\n\nAna N B-PER\nruns V O\n")
    test.write_text("Ana N B-PER\nsings V O\n\nAna N X\n")
    assert main(["train", str(train), "--C", "100", "--test", str(test)]) == 0
    out = capsys.readouterr().out
    assert "3 examples" in out
    assert "n-slack cutting plane was chosen: with at most 100 examples" in out
    assert "2 test examples" in out
    # The first test sentence is right, the second has a tag that was never trained: one half on average.
    assert "training loss 0, test loss 0.5 (mean hamming)" in out


def test_a_test_file_goes_with_a_data_file_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "circle", "--test", "other.svmlight"]) == 2
    assert "a test file goes with a data file" in capsys.readouterr().err
