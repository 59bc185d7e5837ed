"""SVM^hmm lines, edge lists, NumPy arrays and pictures: read as written, refused with their place."""

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer import Recipe
from explorer.engine.catalogue.files import SAMPLES, checked_reading, format_named, sample
from explorer.engine.data.readers.arrays import read_arrays
from explorer.engine.data.readers.hmm import read_sequences, tagged_sequences
from explorer.engine.data.readers.png import read_png, write_png
from explorer.engine.refusals import Refused

NEW = ("rooms.svmhmm", "streets.edges", "petals.npz", "coast.png")


@pytest.mark.parametrize("name", NEW)
def test_true_labels_written_back_give_the_file_again(name: str) -> None:
    path = sample(Path(SAMPLES) / name)
    data = Recipe.of(f"{SAMPLES}/{name}").problem()[0].dataset
    reading = checked_reading(data.meta["reading"])
    module = format_named(reading["format"]).open()
    found = module.examples(path, reading)
    ((written, content),) = module.label_file(path, found.labels, reading).items()
    if name.endswith(".npz"):
        for key, values in read_arrays(path).items():
            path_again = path.with_name(path.name)
            np.testing.assert_array_equal(values, np.load(io.BytesIO(content))[key], str(path_again))
    elif name.endswith(".png"):
        assert content == path.with_name(written).read_bytes()
    else:
        assert content == path.with_name(written).read_bytes()


def test_a_sequence_file_is_read_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "x.svmhmm"
    path.write_text("2 qid:7 1:0.5 3:1\n1 qid:7 2:2 # second\n\n2 qid:9 1:1\n")
    (data,) = tagged_sequences([read_sequences(path)])
    assert data.meta["states"] == ("1", "2")
    assert [labels.tolist() for labels in data.labels] == [[1, 0], [1]]
    assert data.inputs[0].toarray().tolist() == [[0.5, 0, 1], [0, 2, 0]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 qid:1 1:1\n2 1:1\n", "line 2"),
        ("1 qid:1 1:1\n2 qid:2 1:1\n1 qid:1 1:1\n", "line 3 goes on with the sequence 1"),
        ("1 qid:1 1:1\n1,2 qid:1 1:1\n", "line 2 has 2 tags"),
        ("1 qid:1 1:1\nqid:1 1:1\n", "line 2"),
        ("1 qid:1 1:1\n1 qid:1 1:x\n", "line 2"),
    ],
)
def test_a_wrong_line_of_a_sequence_file_is_named(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "x.svmhmm"
    path.write_text(text)
    with pytest.raises(Refused, match=why):
        Recipe.of(path).problem()


def edge_list(folder: Path, edges: str, nodes: str) -> Path:
    (folder / "x.edges").write_text(edges)
    (folder / "x.nodes.csv").write_text(nodes)
    return folder / "x.edges"


def test_an_edge_list_is_read_by_hand(tmp_path: Path) -> None:
    nodes = "graph,node,size,label\ng,a,1,red\ng,b,2,blue\nh,c,3,red\nh,d,4,red\n"
    path = edge_list(tmp_path, "source target far\na b 0.5 # near\nc,d,2\n", nodes)
    data = Recipe.of(path).problem()[0].dataset
    first, second = data.inputs
    assert first.nodes.tolist() == [[1, 1], [2, 1]]
    assert second.edge_features.tolist() == [[2]]
    assert [labels.tolist() for labels in data.labels] == [[1, 0], [1, 1]]
    assert data.meta["edge_feature_names"] == ("far",)


def test_nodes_without_numbers_have_their_neighbours(tmp_path: Path) -> None:
    path = edge_list(tmp_path, "a b\nb c\n", "node,label\na,x\nb,y\nc,x\n")
    assert Recipe.of(path).problem()[0].dataset.inputs[0].nodes.tolist() == [[1, 1], [2, 1], [1, 1]]


@pytest.mark.parametrize(
    ("edges", "nodes", "why"),
    [
        ("a b\na z\n", "node,label\na,x\nb,y\n", "x.edges, line 2 names the node 'z'"),
        ("a b 1\na b\n", "node,label\na,x\nb,y\n", "x.edges, line 2 has 2 cells"),
        ("a b nan\n", "node,label\na,x\nb,y\n", "x.edges, line 1 has 'nan'"),
        ("a a\n", "node,label\na,x\nb,y\n", "line 1 joins the node 'a' with itself"),
        ("a b\n", "node,label\na,x\na,y\n", "x.nodes.csv, line 3"),
        ("a b\n", "node,label\na,x\nb,\n", "x.nodes.csv, line 3 has no 'label'"),
        ("a b\n", "node,label,size\na,x,1\nb,y,big\n", "x.nodes.csv, line 3 has 'big' as 'size'"),
        ("a b\n", "node,graph,label\na,g,x\nb,h,y\n", "line 1 joins nodes of two graphs"),
    ],
)
def test_a_wrong_line_of_an_edge_list_is_named(tmp_path: Path, edges: str, nodes: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        Recipe.of(edge_list(tmp_path, edges, nodes)).problem()


def arrays(folder: Path, **named: Any) -> Path:
    path = folder / "x.npz"
    np.savez(path, **named)
    return path


def test_arrays_are_classes_sets_or_sequences(tmp_path: Path) -> None:
    X = np.arange(8.0).reshape(4, 2)
    data = Recipe.of(arrays(tmp_path, X=X, y=np.array([10, 9, 9, 10]))).problem()[0].dataset
    assert data.meta["states"] == ("9", "10")
    assert data.labels.tolist() == [1, 0, 0, 1]
    sets = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
    assert np.array_equal(Recipe.of(arrays(tmp_path, X=X, y=sets)).problem()[0].dataset.labels, sets)
    path = arrays(tmp_path, X=X, y=np.array(list("abab")), sequence=np.array([5, 5, 5, 2]))
    assert [len(x) for x in Recipe.of(path).problem()[0].dataset.labels] == [3, 1]


class Code:
    """Something that would run when it is unpickled."""

    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('code of a file was run')",)


def test_arrays_of_objects_are_refused_and_nothing_of_them_is_run(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|O", "fortran_order": False, "shape": (1,)})
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("X.npy", header.getvalue() + pickle.dumps(Code()))
    with pytest.raises(Refused, match="the array X is of type object"):
        read_arrays(path)


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"X": [[1.0, 2.0], [np.nan, 1.0]], "y": [0, 1]}, "X, row 1, column 0 is nan"),
        ({"X": [[1.0], [2.0]], "y": [0.5, 1]}, "y, row 0 is 0.5"),
        ({"X": [[1.0], [2.0]], "y": [0, 1, 1]}, "give 2 entries"),
        ({"X": [[1.0], [2.0]], "y": [[0, 2], [1, 0]]}, "y, row 0, column 1 is 2"),
        ({"y": [0, 1]}, "has no array X"),
        ({"X": [[1.0], [2.0], [3.0]], "y": [0, 1, 1], "sequence": [1, 2, 1]}, "row 2 goes on"),
    ],
)
def test_what_is_wrong_with_arrays_is_said(tmp_path: Path, named: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        Recipe.of(arrays(tmp_path, **{name: np.array(one) for name, one in named.items()})).problem()


def test_a_file_that_unpacks_to_more_than_it_says_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**3)}
    )
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("X.npy", header.getvalue() + b"\0" * 64)
    with pytest.raises(Refused, match="not as large as it says"):
        read_arrays(path)


def test_pictures_are_read_as_another_program_wrote_them(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    smooth = np.add.outer(np.arange(30), np.arange(40))[:, :, None] * [1, 2, 3] + rng.integers(
        0, 9, (30, 40, 3)
    )
    pixels = smooth.astype(np.uint8)
    for kind in ("RGB", "RGBA", "L", "P"):
        made = image.fromarray(pixels).convert(kind)
        made.save(tmp_path / "x.png")
        np.testing.assert_array_equal(read_png(tmp_path / "x.png"), np.array(made.convert("RGB")), kind)
    np.testing.assert_array_equal(np.array(image.open(io.BytesIO(write_png(pixels)))), pixels)


def test_labels_of_a_picture_are_its_colours(tmp_path: Path) -> None:
    pixels = np.zeros((2, 3, 3), dtype=np.uint8)
    labels = pixels.copy()
    labels[0, 2] = (255, 136, 0)
    (tmp_path / "x.png").write_bytes(write_png(pixels))
    (tmp_path / "x.labels.png").write_bytes(write_png(labels))
    data = Recipe.of(tmp_path / "x.png", data={"tile": 0}).problem()[0].dataset
    assert data.meta["states"] == ("#000000", "#ff8800")
    assert data.labels[0].tolist() == [0, 0, 1, 0, 0, 0]
    assert data.inputs[0].shape == (2, 3)
    (tmp_path / "x.labels.png").write_bytes(write_png(labels[:1]))
    with pytest.raises(Refused, match="has 3 by 1 pixels and its picture 3 by 2"):
        Recipe.of(tmp_path / "x.png").problem()
