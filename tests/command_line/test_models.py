"""From a file to a model, and from a model to labelled files, in every format."""

import gzip
import hashlib
import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.__main__ import main
from explorer.engine.runs import saved

SAMPLES = Path(__file__).parents[2] / "sample_data"
FILES = (
    "names.conll",
    "kitchen.svmlight",
    "karate.graphml",
    "letters.pairs.csv",
    "animals.conllu",
    "weather.csv",
)
Run = Callable[..., str]


@pytest.fixture
def done(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs a command that must succeed; returns what it wrote to stdout."""

    def run(*words: Any) -> str:
        code = main([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        assert code == 0, err.decode()
        return out.decode()

    return run


@pytest.fixture
def refused(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs a command that must be refused; returns the sentence."""

    def run(*words: Any) -> str:
        assert main([str(word) for word in words]) == 2
        return capfdbinary.readouterr()[1].decode()

    return run


def trained(done: Run, name: str, folder: Path, *more: str) -> Path:
    """The model of a sample."""
    out = folder / "model.zip"
    done("train", SAMPLES / name, "--C", "100", "--passes", "300", "--out", out, *more)
    return out


@pytest.mark.parametrize("name", FILES)
def test_a_model_of_a_file_labels_it_and_nothing_else_changes(name: str, tmp_path: Path, done: Run) -> None:
    model, out = trained(done, name, tmp_path), tmp_path / f"labelled-{name}"
    labelled = done("predict", model, SAMPLES / name)
    assert "in" in done("predict", model, SAMPLES / name, "--out", out)
    assert out.read_bytes() == labelled.encode()
    assert done("predict", model, SAMPLES / name, "--out", "-") == labelled
    if name == "letters.pairs.csv":  # a table of clusters: the same sets and items, in the same order
        given = (SAMPLES / "letters.clusters.csv").read_text().splitlines()
        assert [row.rsplit(",", 1)[0] for row in labelled.splitlines()] == [
            row.rsplit(",", 1)[0] for row in given
        ]
        return
    assert len(labelled.splitlines()) == len((SAMPLES / name).read_text(encoding="utf-8").splitlines())
    # What was written is read again, with exactly the labels that were predicted.
    assert done("predict", model, out) == labelled
    measured = json.loads(done("score", model, out, "--json"))["figures"]
    assert next(value for what, value in measured.items() if "right" in what) == 1.0


@pytest.mark.parametrize("name", FILES)
def test_python_loads_what_the_command_line_trained_and_predicts_the_same(
    name: str, tmp_path: Path, done: Run
) -> None:
    from explorer.estimators.readings import read_examples

    path = trained(done, name, tmp_path)
    model = explorer.load(path)
    examples = read_examples(model, SAMPLES / name)
    content = b"".join(examples.write(list(model.predict(examples.inputs))).values())
    assert content.decode() == done("predict", path, SAMPLES / name)
    # An estimator's own file holds the same model, and the command line takes it.
    model.save(tmp_path / "own.zip")
    assert done("predict", tmp_path / "own.zip", SAMPLES / name) == content.decode()
    assert np.array_equal(model.weights_, saved.load(path).trace.at(-1).w)
    again = explorer.load(tmp_path / "own.zip")
    assert (again.certificate_, again.reading_) == (model.certificate_, model.reading_)
    assert "certificate:" in done("inspect", path)


def test_a_run_with_its_model_goes_on_like_one_without(tmp_path: Path, done: Run) -> None:
    out = trained(done, "names.conll", tmp_path, "--steps", "2")
    first = len(saved.load(out).trace)
    done("train", "--resume", out, "--steps", "1", "--out", out)
    assert len(saved.load(out).trace) == first + 1


def test_a_run_of_an_earlier_version_predicts_where_its_data_are_found(
    tmp_path: Path, done: Run, refused: Run
) -> None:
    out, earlier = trained(done, "kitchen.svmlight", tmp_path), tmp_path / "earlier.zip"
    run = saved.load(out)
    saved.save(earlier, run.recipe, run.trace)
    wanted = done("predict", out, SAMPLES / "kitchen.svmlight")
    assert done("predict", earlier, SAMPLES / "kitchen.svmlight") == wanted
    saved.save(earlier, run.recipe | {"task": "lost.svmlight"}, run.trace)
    assert "is a run of lost.svmlight, which is not found" in refused(
        "predict", earlier, SAMPLES / "kitchen.svmlight"
    )


def test_words_come_through_a_pipe_with_or_without_tags(
    tmp_path: Path, done: Run, refused: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = trained(done, "names.conll", tmp_path)
    text = "Ada\tPROPN\r\nflöge\tVERB \r\n\r\n-DOCSTART-\r\nRome PROPN\r\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    lines = done("predict", model, "-").split("\r\n")
    assert lines[0].startswith("Ada\tPROPN\t")
    assert lines[1].startswith("flöge\tVERB\t")
    assert lines[1].endswith(" ")
    assert lines[2:4] == ["", "-DOCSTART-"]
    assert lines[4].startswith("Rome PROPN ")
    packed = tmp_path / "more.conll.gz"
    packed.write_bytes(gzip.compress(text.replace("ö".encode(), b"\xf6")))
    done("predict", model, packed, "--out", tmp_path / "out.conll.gz")
    found = gzip.decompress((tmp_path / "out.conll.gz").read_bytes())
    assert found.decode("latin-1").split("\r\n") == lines, "Latin-1 stays Latin-1"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Ada\n")))
    assert "stdin, line 1 has 1 column; give the word, what" in refused("score", model, "-")
    (tmp_path / "bare.conll").write_bytes(text)
    assert "does not label everything" in refused("score", model, tmp_path / "bare.conll")


def test_a_tag_that_only_the_test_file_has_counts_as_a_mistake(
    tmp_path: Path, done: Run, refused: Run
) -> None:
    train, test = tmp_path / "a.conll", tmp_path / "b.conll"
    train.write_text("Ana B-PER\nsleeps O\n\nRome B-LOC\nsleeps O\n\n")
    test.write_text("Ana B-PER\nsleeps O\n\nRome B-GOD\nsleeps O\n\n")
    out = tmp_path / "m.zip"
    said = done("train", train, "--test", test, "--C", "100", "--out", out)
    assert "test loss 0.5 (mean hamming)" in said
    found = json.loads(done("score", out, test, "--json"))
    # Two entities of two are guessed, one of them with the wrong type.
    assert found["figures"]["tags right"] == 0.75
    assert found["figures"]["entity F1"] == 0.5
    assert found["labels"]["GOD"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 1}
    # The test file belongs to the saved run.
    known = hashlib.sha256(test.read_bytes()).hexdigest()
    assert saved.load(out).recipe["file"] == {"test": str(test), "sum": known[:16]}
    assert "test loss 0.5" in done("train", "--resume", out, "--steps", "1")
    before = test.read_bytes()
    test.write_bytes(before.replace(b"PER", b"GOD"))
    assert f"was measured on {test}, which has changed since" in refused("train", "--resume", out)
    assert "test loss 1 (" in done("train", "--resume", out, "--test", test, "--steps", "1")
    test.write_bytes(before)
    test.rename(tmp_path / "c.conll")
    assert f"was measured on {test}, which is gone" in refused("train", "--resume", out)
    assert "test loss 0.5" in done(
        "train", train, "--test", tmp_path / "c.conll", "--resume", out, "--steps", "1"
    )
    assert "test loss 0.5" in done("train", "--resume", out, "--test", tmp_path / "c.conll", "--steps", "1")
    test.write_bytes(before.replace(b"PER", b"GOD"))
    assert "test loss 1 (" in done("train", "--resume", out, "--test", test, "--steps", "1")


def test_a_share_of_the_examples_is_kept_apart_and_remembered(
    tmp_path: Path, done: Run, refused: Run
) -> None:
    out = trained(done, "kitchen.svmlight", tmp_path, "--test", "0.25", "--seed", "3")
    assert saved.load(out).recipe["data"] == {"held_out": 0.25, "draw": 3}
    assert "15 examples" in (said := done("train", "--resume", out, "--steps", "1"))
    assert "5 test examples" in said
    other = done("train", SAMPLES / "kitchen.svmlight", "--test", "0.25", "--seed", "4", "--steps", "1")
    assert "15 examples" in other
    assert "there is only one example" in refused("train", SAMPLES / "karate.graphml", "--test", "0.5")
    assert "has test data of its own" in refused("train", "circle", "--test", "0.5")
    both = ["--test", str(SAMPLES / "kitchen.svmlight"), "--data", "held_out=0.5"]
    assert "give one of the two" in refused("train", SAMPLES / "kitchen.svmlight", *both)


def test_features_of_words_are_chosen_and_kept_by_the_model(tmp_path: Path, done: Run) -> None:
    chosen = ["--features", "window=0,prefixes=0,suffixes=1", "--features", "shapes=no,columns=no"]
    model = explorer.load(trained(done, "names.conll", tmp_path, *chosen))
    names = model.columns_.names()
    assert {name.partition("=")[0] for name in names} == {"1", "w", "l", "f"}
    assert all(len(name) == 3 for name in names if name.startswith("f="))
    assert "f=" in done("inspect", tmp_path / "model.zip")


def test_rows_with_one_label_each_are_classes_and_a_split_keeps_groups_whole(
    tmp_path: Path, done: Run, refused: Run
) -> None:
    rng = np.random.default_rng(0)
    path, out = tmp_path / "rows.svmlight", tmp_path / "m.zip"
    lines = [f"{'+1' if k % 2 else '-1'} qid:{k // 4} 1:1 2:{(k % 2) + 0.1 * rng.normal():.3f} # row {k}"
             for k in range(24)]  # fmt: skip
    path.write_text("\n".join(lines))
    said = done("train", path, "--C", "1000", "--test", "0.5", "--out", out)
    assert "12 examples, 4 weights" in said
    assert "12 test examples" in said
    assert "the file has 6 groups (qid): a split keeps each whole" in said
    model = explorer.load(out)
    assert type(model).__name__ == "StructuredClassifier"
    assert model.classes_.tolist() == [-1, 1]
    assert done("predict", out, path) == "\n".join(lines).replace("+1 qid", "1 qid")
    assert json.loads(done("score", out, path, "--json"))["figures"]["right"] == 1.0
    sets = done("train", path.rename(tmp_path / "b.svmlight"), "--as", "classes", "--steps", "1")
    assert "4 weights" in sets
    kitchen = SAMPLES / "kitchen.svmlight"
    assert "line 3 has 3 labels; give each example exactly one class" in refused(
        "train", kitchen, "--as", "classes"
    )
    assert "classes or as label-sets, not as 'ranks'" in refused("train", kitchen, "--as", "ranks")
    assert "has no kind to choose" in refused("train", SAMPLES / "names.conll", "--as", "classes")


def test_attributes_of_edges_are_features_and_can_be_left_out(tmp_path: Path, done: Run) -> None:
    import networkx as nx

    rng, source = np.random.default_rng(0), nx.path_graph(12)
    for v in source:
        source.nodes[v].update(label="abc"[v % 3], **{f"f{k}": float(rng.normal()) for k in range(4)})
    for a, b in source.edges:
        source.edges[a, b].update(near=float(rng.normal()), far=float(rng.normal()))
    nx.write_graphml(source, tmp_path / "g.graphml")
    # Three labels: 4 features at the nodes, and 9 pairs of labels for each of the 2 features at the edges.
    assert "30 weights" in done("train", tmp_path / "g.graphml", "--steps", "1", "--out", tmp_path / "m.zip")
    assert "21 weights" in done("train", tmp_path / "g.graphml", "--steps", "1", "--features", "edges=far")
    assert "21 weights" in done("train", tmp_path / "g.graphml", "--steps", "1", "--features", "edges=none")
    assert "edge near" in done("inspect", tmp_path / "m.zip")


def test_graphs_of_a_folder_are_labelled_into_a_folder(tmp_path: Path, done: Run, refused: Run) -> None:
    model = trained(done, "karate.graphml", tmp_path)
    (tmp_path / "in.graphml").mkdir()
    for name in ("a", "b"):
        shutil.copy(SAMPLES / "karate.graphml", tmp_path / "in.graphml" / f"{name}.graphml")
    assert "give a folder" in refused("predict", model, tmp_path / "in.graphml")
    done("predict", model, tmp_path / "in.graphml", "--out", tmp_path / "out")
    one = done("predict", model, SAMPLES / "karate.graphml")
    assert [(tmp_path / "out" / f"{name}.graphml").read_text() for name in "ab"] == [one, one]


def test_items_without_clusters_are_clustered(tmp_path: Path, done: Run) -> None:
    model = trained(done, "letters.pairs.csv", tmp_path)
    shutil.copy(SAMPLES / "letters.pairs.csv", tmp_path / "new.pairs.csv")
    alone = set(done("predict", model, tmp_path / "new.pairs.csv").splitlines())
    known = set(done("predict", model, SAMPLES / "letters.pairs.csv").splitlines())
    assert len(alone) == len(known) == 30
    assert json.loads(done("score", model, SAMPLES / "letters.pairs.csv", "--json"))["figures"]["sets"] == 4


def test_an_own_problem_predicts_and_is_scored(tmp_path: Path, done: Run, refused: Run) -> None:
    mine, run = tmp_path / "jobs.py", tmp_path / "run.zip"
    done("new", mine)
    with mine.open("a") as file:
        file.write("\nnew = make_examples(3, seed=1)[0]\n")
    said = done("train", f"{mine}:problem", "--C", "10", "--out", run)
    assert "without a model: a Plain has no estimator" in said
    labels = [json.loads(line) for line in done("predict", run, f"{mine}:problem").splitlines()]
    assert len(labels) == 40
    assert all(sorted(label) == [0, 1, 2, 3] for label in labels)
    assert len(done("predict", run, f"{mine}:problem", "--inputs", f"{mine}:new").splitlines()) == 3
    loss = float(saved.load(run).trace.column("train_loss")[-1])
    assert f"training loss (mean)       {loss:.4f}" in done("score", run, f"{mine}:problem")
    assert "a problem in Python, which has no model" in refused("inspect", run)
    assert "is a run of jobs.py:problem, not of" in refused("predict", run, f"{mine}:new")


def test_a_tagger_that_was_fitted_in_python_labels_files_too(tmp_path: Path, done: Run, refused: Run) -> None:
    from explorer import SequenceTagger, TextFeatures

    sentences, tags = [["Ana", "ve", "Lima"], ["Eva", "ve", "Ana"]], [["P", "O", "L"], ["P", "O", "P"]]
    (tmp_path / "new.conll").write_text("Eva\nve\nLima\n")
    SequenceTagger(C=100.0, features=TextFeatures()).fit(sentences, tags).save(tmp_path / "m.zip")
    assert done("predict", tmp_path / "m.zip", tmp_path / "new.conll") == "Eva P\nve O\nLima L\n"
    SequenceTagger(C=100.0).fit(TextFeatures(window=1).transform(sentences), tags).save(tmp_path / "m.zip")
    assert done("predict", tmp_path / "m.zip", tmp_path / "new.conll") == "Eva P\nve O\nLima L\n"
    (tmp_path / "gold.conll").write_text("Eva P\nve O\nLima P\n")
    assert "0.6667" in done("score", tmp_path / "m.zip", tmp_path / "gold.conll")
    assert "holds no examples for a SequenceTagger" in refused(
        "predict", tmp_path / "m.zip", SAMPLES / "karate.graphml"
    )
    own = SequenceTagger().fit([[{"len": 3.0}, {"len": 2.0}]], [["P", "O"]])
    own.save(tmp_path / "own.zip")
    assert "fitted to the feature 'len', which no file has" in refused(
        "predict", tmp_path / "own.zip", tmp_path / "new.conll"
    )


def test_what_does_not_fit_the_model_is_refused_with_line_and_fix(
    tmp_path: Path, done: Run, refused: Run
) -> None:
    tagger = trained(done, "names.conll", tmp_path)
    assert "trained on another format than that of" in refused("predict", tagger, SAMPLES / "karate.graphml")
    assert "there is no file nowhere.conll" in refused("predict", tagger, "nowhere.conll")
    assert "a model without its run; `explorer inspect`" in refused_run(tmp_path, refused)
    assert "--inputs go with a problem in Python" in refused(
        "predict", tagger, "x.conll", "--inputs", "a.py:b"
    )


def refused_run(folder: Path, refused: Run) -> str:
    """What `show` says of a model that was saved from Python."""
    explorer.load(folder / "model.zip").save(folder / "own.zip")
    return refused("show", folder / "own.zip")


def test_a_table_is_learned_by_rows_or_by_sequences(tmp_path: Path, done: Run, refused: Run) -> None:
    file, model = SAMPLES / "weather.csv", tmp_path / "m.zip"
    # A constant, degrees, and 6 days, 3 hours, 4 skies and 3 winds; two classes.
    assert "18 examples, 36 weights" in done("train", file, "--C", "100", "--out", model)
    assert explorer.load(model).classes_.tolist() == ["no", "yes"]
    (tmp_path / "new.csv").write_text("day,hour,sky,degrees,wind\nsun,noon,sunny,20,light\n")
    assert done("predict", model, tmp_path / "new.csv").splitlines()[0].endswith(",wind,walk")
    assert "sky=rain" in done("inspect", model)
    said = done("train", file, "--sequence", "day", "--features", "window=1", "--C", "100", "--out", model)
    assert "6 examples" in said
    assert saved.load(model).recipe["file"] == {"sequence": "day"}
    assert "6 examples" in done("train", "--resume", model, "--steps", "1")
    labelled = done("predict", model, file)
    assert json.loads(done("score", model, file, "--json"))["figures"]["tags right"] == 1.0
    assert labelled == file.read_text()
    assert "4 examples" in done("train", file, "--sequence", "day", "--test", "0.3", "--steps", "1")
    assert "has no column 'season' for the label" in refused("train", file, "--label", "season")
    other = done("train", file, "--label", "wind", "--features", "leave_out=day", "--steps", "1")
    assert "18 examples, 33 weights" in other  # a constant, degrees, 3 hours, 4 skies, 2 walks; three winds
    assert "has no sequence to choose" in refused("train", SAMPLES / "names.conll", "--sequence", "day")


def test_a_table_comes_through_a_pipe(tmp_path: Path, done: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (SAMPLES / "weather.csv").read_bytes()
    for command in (["train", "-", "--format", "csv", "--out", "m.zip"], ["predict", "m.zip", "-"]):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        said = done(*command)
    assert said.splitlines()[0] == "day,hour,sky,degrees,wind,walk"


def test_a_clustering_is_the_same_in_python_and_on_the_command_line(tmp_path: Path, done: Run) -> None:
    from explorer import ItemClusterer
    from explorer.estimators.readings import read_examples

    model = explorer.load(trained(done, "letters.pairs.csv", tmp_path))
    examples = read_examples(model, SAMPLES / "letters.pairs.csv")
    own = ItemClusterer(C=100.0, max_iter=300).fit(examples.inputs, examples.labels)
    assert own.normalise == model.normalise
    assert own.certificate_.primal == pytest.approx(model.certificate_.primal, rel=0.02)
