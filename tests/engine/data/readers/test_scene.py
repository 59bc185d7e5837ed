"""Multi-label arrays in a file: the scenes where they are there, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from explorer.engine.data.readers import scene
from explorer.engine.data.readers.scene import SCENES, read_scene
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling


def arrays(**changed: object) -> dict[str, object]:
    rng = np.random.default_rng(0)
    found = {
        "X_train": rng.random((5, 3), dtype=np.float32),
        "y_train": rng.integers(0, 2, (5, 2), dtype=np.uint8),
        "X_test": rng.random((4, 3), dtype=np.float32),
        "y_test": rng.integers(0, 2, (4, 2), dtype=np.uint8),
    }
    return {name: value for name, value in (found | changed).items() if value is not None}


def test_the_four_arrays_become_train_and_test(tmp_path: Path) -> None:
    given = arrays()
    np.savez_compressed(tmp_path / "some.npz", **given)
    train, test = read_scene(tmp_path / "some.npz")
    assert np.array_equal(train.inputs, np.asarray(given["X_train"], dtype=float))
    assert np.array_equal(test.labels, given["y_test"])
    assert train.meta["label_names"] == ("label 1", "label 2")
    assert train.labels.dtype == np.int64
    with_it, _ = read_scene(tmp_path / "some.npz", constant=True)
    assert (with_it.inputs[:, -1] == 1.0).all()
    assert with_it.inputs.shape == (5, 4)


def test_the_scenes_have_the_printed_sizes(data_dir: Path) -> None:
    train, test = read_scene(data_dir / "scene.npz")
    assert train.inputs.shape == (1211, 294)
    assert test.inputs.shape == (1196, 294)
    assert train.meta["label_names"] == SCENES
    assert FieldLabelling(train, LabelMap(6, all_pairs(6))).dim == 1779
    # The best constant labelling is wrong at 18.10 % of the labels (Finley 2009, table 5.1).
    constant = train.labels.mean(axis=0) > 0.5
    assert 100.0 * np.mean(test.labels != constant) == pytest.approx(18.10, abs=0.05)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"y_test": None}, "has no array y_test; give X_train, y_train, X_test, y_test"),
        ({"X_train": np.ones(5)}, r"X_train has shape \(5,\) and type float64; give a matrix of numbers"),
        ({"y_train": np.full((5, 2), "a")}, "y_train has shape .* and type <U1; give a matrix of numbers"),
        ({"y_train": np.full((5, 2), 2)}, "some, example 0, label 0, is 2; a label is on"),
        ({"X_train": np.full((5, 3), np.nan)}, "some, example 0, has the feature value nan"),
        ({"X_test": np.ones((4, 2))}, "X_train and X_test have different numbers of columns"),
        (
            {"y_test": np.ones((3, 2))},
            r"some \(test\) has inputs of shape \(4, 3\) and labels of shape \(3, 2\)",
        ),
        ({"y_test": np.array([[None, {}]])}, "is no readable .npz file"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    np.savez_compressed(tmp_path / "some.npz", **arrays(**changed))
    with pytest.raises(Refused, match=said):
        read_scene(tmp_path / "some.npz")


def test_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match=r"nowhere is not a file; give an .npz file"):
        read_scene(tmp_path / "nowhere")
    (tmp_path / "text").write_text("1,2,3")
    with pytest.raises(Refused, match=r"text is no .npz file; save it with numpy.savez_compressed"):
        read_scene(tmp_path / "text")
    np.savez_compressed(tmp_path / "some.npz", **arrays())
    monkeypatch.setattr(scene, "MOST_BYTES", 100)
    with pytest.raises(Refused, match="unpacks to 0 million bytes; give a part of it"):
        read_scene(tmp_path / "some.npz")
