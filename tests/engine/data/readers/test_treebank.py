"""Treebank files: what is read, what is left out, what is refused with its line."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from explorer.engine.data.readers.treebank import micro_treebank, read_treebank
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.heads import is_projective, tree_count


def line(number: object, word: str, head: object, lemma: str = "_", tag: str = "X", fine: str = "_") -> str:
    return "\t".join([str(number), word, lemma, tag, fine, "_", str(head), "dep", "_", "_"])


TEXT = "\n".join(
    [
        "# text = Im Haus schläft er",
        line("1-2", "Im", "_"),
        line(1, "In", 2, "in", "ADP", "APPR"),
        line(2, "Haus", 3, "Haus", "NOUN", "NN"),
        line("2.1", "ist", "_"),
        line(3, "schläft", 0, tag="VERB"),
        "",
        "",
        line(1, "Ja", 0),
        "",
    ]
)


@pytest.mark.parametrize("packed", [False, True])
def test_words_layers_and_heads_are_read_and_what_has_no_head_is_left_out(
    tmp_path: Path, packed: bool
) -> None:
    path = tmp_path / "text.conllu"
    path.write_bytes(gzip.compress(TEXT.encode()) if packed else TEXT.encode("utf-8-sig"))
    data = read_treebank(path)
    assert [y.tolist() for y in data.labels] == [[2, 3, 0], [0]]
    first, second = data.inputs
    assert first.words == ("In", "Haus", "schläft")
    assert first.lemmas == ("in", "Haus", "schläft")
    assert first.tags == ("ADP", "NOUN", "VERB")
    assert first.fine == ("APPR", "NN", "VERB")
    assert second.words == ("Ja",)
    assert len(read_treebank(path, longest=2)) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\tJa\t0", "line 1 has 3 columns; give 10"),
        (line(2, "Ja", 0), "line 1 has the number '2'; tokens are counted from 1"),
        (line(1, "Ja", "x"), "line 1 has the head 'x'; give the number"),
        (line(1, "Ja", "-1"), "line 1 has the head '-1'"),
        (f"# c\n{line(1, 'Ja', 2)}", "sentence at line 2: token 1 has the head 2 of 1 tokens"),
        (
            f"{line(1, 'a', 2)}\n{line(2, 'b', 1)}",
            r"tree of sentence 0 is no tree: the heads of tokens \[1, 2\] run",
        ),
        ("# nothing", "holds no sentence"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Refused, match=said):
        read_treebank(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is not a file"):
        read_treebank(tmp_path / "missing")
    for name, stored, said in (
        ("latin", b"\xfc", "not UTF-8"),
        ("cut", gzip.compress(b"abc")[:-9], "damaged gzip"),
    ):
        (tmp_path / name).write_bytes(stored)
        with pytest.raises(Refused, match=said):
            read_treebank(tmp_path / name)


def test_the_micro_treebank_has_282_trees() -> None:
    data = micro_treebank()
    assert [tree_count(len(x)) for x in data.inputs] == [16, 16, 125, 125]
    assert data.inputs[1].lemmas == ("Katze", "jagen", "Hund")
    assert data.labels[2].tolist() == [2, 0, 4, 2]


def test_german_news_have_their_known_size(data_dir: Path) -> None:
    data = read_treebank(data_dir / "ud-de" / "de_gsd-ud-dev.conllu.gz")
    assert (len(data), sum(map(len, data.inputs))) == (799, 12_480)
    assert 0.9 < np.mean([is_projective(y) for y in data.labels]) < 0.95
    assert len({tag for x in data.inputs for tag in x.tags}) <= 17
