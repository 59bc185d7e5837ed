"""Drawings become files that are trained like any other; what a browser tells is not trusted."""

from pathlib import Path
from typing import Any

import pytest

from explorer import Recipe
from explorer.engine.refusals import Refused
from explorer.session.uploads.drawings import TYPED, file_of, sentences_file


def made(files: dict[str, bytes], folder: Path) -> Any:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return Recipe.of(folder / next(iter(files))).problem()[0].dataset


def test_points_keep_place_and_kind(tmp_path: Path) -> None:
    data = made(file_of("points", [[0.5, 0.25, 0], [1.0, 0.0, 2]]), tmp_path)
    assert data.meta["states"] == ("circle", "triangle")
    assert data.labels.tolist() == [0, 1]
    assert (tmp_path / "points.csv").read_text().splitlines()[1] == "0.500,0.250,0.2500,0.1250,0.0625,circle"


def test_a_painting_is_its_own_labels(tmp_path: Path) -> None:
    data = made(file_of("grid", [[0, 1, 1], [0, 0, 2]]), tmp_path)
    names = [data.meta["states"][k] for k in data.labels[0]]
    blue, sand, green = "#2b6cb0", "#e8d08a", "#5b8c3a"
    assert names == [blue, sand, sand, blue, blue, green]


def test_likeness_keeps_pairs_and_clusters(tmp_path: Path) -> None:
    drawn = {"values": [[0, 1, -1], [1, 0, 0], [-1, 0, 0]], "clusters": [0, 0, 1]}
    data = made(file_of("likeness", drawn), tmp_path)
    assert data.labels[0].tolist() == [0, 0, 1]
    assert data.inputs[0].pairs.tolist() == [[1, 1], [-1, 1], [0, 1]]


def test_typed_sentences_keep_words_and_tags(tmp_path: Path) -> None:
    data = made(sentences_file(TYPED), tmp_path)
    assert data.meta["words"][1] == ("Pavel", "met", "Rosa", "in", "Oslo", ".")
    assert [data.meta["states"][k] for k in data.labels[1]] == ["PER", "O", "PER", "O", "LOC", "O"]


@pytest.mark.parametrize(
    ("kind", "drawn"),
    [
        ("points", [[0, 0, 0]]),
        ("points", [[0, 0, 9], [1, 1, 1]]),
        ("points", [["x", 0, 0], [1, 1, 1]]),
        ("grid", [[0, 1], [0]]),
        ("grid", [[0] * 100] * 100),
        ("grid", []),
        ("likeness", {"values": [[0]], "clusters": [0, 1]}),
        ("likeness", None),
        ("other", [1]),
    ],
)
def test_what_is_no_drawing_is_refused(kind: str, drawn: Any) -> None:
    with pytest.raises(Refused):
        file_of(kind, drawn)
