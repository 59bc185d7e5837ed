"""Columns of tagged text: what is read, which features a word has, and what is refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from explorer.engine.data.readers.conll import read_sentences, shape, tagged_text, token_features
from explorer.engine.refusals import Refused

TEXT = "Sao NC B-LOC\nPaulo VMI I-LOC\n\n-DOCSTART- -X- O\n\nEspaña NC B-LOC\n2002 Z O\n"
WANTED = [
    (("Sao", "Paulo"), ("B-LOC", "I-LOC"), (("NC",), ("VMI",))),
    (("España", "2002"), ("B-LOC", "O"), (("NC",), ("Z",))),
]


def written(folder: Path, text: str | bytes, name: str = "text") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "stored",
    [
        TEXT.encode(),
        TEXT.encode("latin-1"),
        TEXT.encode("utf-8-sig"),
        gzip.compress(TEXT.encode()),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.rstrip("\n").encode(),
    ],
    ids=["utf-8", "latin-1", "marked", "gzip", "crlf", "no last newline"],
)
def test_every_form_of_the_file_has_the_same_sentences(tmp_path: Path, stored: bytes) -> None:
    assert read_sentences(written(tmp_path, stored)) == WANTED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Sao NC B-LOC\nPaulo I-LOC\n",
            r"text, line 2 has 2 columns, the lines before it 3; give every line",
        ),
        ("Sao\n", r"text, line 1 has one column, 'Sao'; give the word first"),
        ("\n\n", r"holds no sentence; give a file"),
    ],
)
def test_a_bad_line_is_refused_with_its_place_and_the_fix(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        read_sentences(written(tmp_path, text))


def test_a_missing_or_damaged_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        read_sentences(tmp_path / "nowhere")
    with pytest.raises(Refused, match="damaged gzip"):
        read_sentences(written(tmp_path, gzip.compress(TEXT.encode())[:-9]))


def test_shapes_shorten_runs_to_two() -> None:
    assert [shape(word) for word in ("Ab-2002", "ÉL", "a")] == ["Xx-99", "XX", "x"]


def test_a_word_has_its_own_features_and_those_of_its_neighbours() -> None:
    first, second = token_features(("Sao", "B-2"))
    assert {
        "1",
        "w=Sao",
        "l=sao",
        "s=Xxx",
        "p=sa",
        "f=ao",
        "capital",
        "-1=<edge>",
        "+1=b-2",
        "+1s=X-9",
    } <= set(first)
    assert {"digit", "hyphen", "capitals", "-1=sao", "+1=<edge>", "-1s=Xxx"} <= set(second)
    assert len(first) == len(set(first))
    assert not {"digit", "hyphen", "capitals"} & set(first)


def test_rows_hold_ones_at_the_known_features(tmp_path: Path) -> None:
    train, test = tagged_text(written(tmp_path, TEXT), written(tmp_path, "Sao x B-LOC\nnew x O\n", "test"))
    names = train.meta["feature_names"]
    assert train.meta["states"] == ("B-LOC", "I-LOC", "O")
    assert [list(y) for y in train.labels] == [[0, 1], [0, 2]]
    row = train.inputs[0].toarray()[0]
    assert {names[column] for column in np.flatnonzero(row)} == set(
        token_features(("Sao", "Paulo"), (("NC",), ("VMI",)))[0]
    )
    assert set(row) == {0.0, 1.0}
    unseen = {names[column] for column in np.flatnonzero(test.inputs[0].toarray()[1])}
    assert unseen == set(token_features(("Sao", "new"), (("x",), ("x",)))[1]) & set(names)
    assert test.inputs[0].shape == (2, len(names))


def test_a_tag_that_only_the_test_file_has_is_a_state_that_nothing_speaks_for(tmp_path: Path) -> None:
    train, test = tagged_text(written(tmp_path, TEXT), written(tmp_path, "Ana x B-PER\n", "test"))
    assert train.meta["states"] == test.meta["states"] == ("B-LOC", "B-PER", "I-LOC", "O")
    assert [list(y) for y in test.labels] == [[1]]
    assert not any(1 in y for y in train.labels)


def test_columns_in_between_are_features_of_a_word_and_its_neighbours() -> None:
    first, second = token_features(("Sao", "Paulo"), (("NC", "x"), ("VMI", "y")))
    assert {"c1=NC", "-1c1=<edge>", "+1c1=VMI", "c2=x", "+1c2=y"} <= set(first)
    assert {"c1=VMI", "-1c1=NC", "+1c1=<edge>", "c2=y", "-1c2=x"} <= set(second)


def test_a_last_column_that_holds_no_tags_is_refused(tmp_path: Path) -> None:
    words = "\n".join(f"word O{number}" for number in range(1001))
    with pytest.raises(Refused, match=r"1,001 tags in its last column; give it one of 1,000 tags at most"):
        tagged_text(written(tmp_path, words))
