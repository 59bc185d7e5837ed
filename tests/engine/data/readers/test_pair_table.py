"""Pairs and clusters from two tables: what is read, and what is refused with place and fix."""

from pathlib import Path

import numpy as np
import pytest

from explorer.__main__ import main
from explorer.engine.data.readers import pair_table
from explorer.engine.data.readers.pair_table import clusters_beside, parse_pair_table, read_pair_table
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.partitions import spoken, together

SAMPLES = Path(__file__).parents[4] / "sample_data"
PAIRS = "set,first,second,near,1\none,a,b,0.5,1\none,c,a,-2,1\none,b,c,1e3,1\ntwo,x,y,7,1\n"
CLUSTERS = "set,item,cluster\none,a,red\none,b,blue\none,c,red\ntwo,y,red\ntwo,x,red\n"


@pytest.mark.spec("C54")
def test_two_tables_become_sets_of_items() -> None:
    data = parse_pair_table(PAIRS, CLUSTERS)
    assert data.meta["features"] == ("near", "1")
    assert data.meta["sets"] == ("one", "two")
    assert data.inputs[0].names == ("a", "b", "c")
    assert data.inputs[0].pairs.tolist() == [[0.5, 1.0], [-2.0, 1.0], [1000.0, 1.0]]
    assert data.inputs[1].names == ("y", "x")
    assert [y.tolist() for y in data.labels] == [[0, 1, 0], [0, 0]]


def test_quotes_spaces_empty_lines_and_foreign_line_ends_are_read() -> None:
    text = '\ufeffset, first,second,"near, or not"\r\none," a ",b,1\r\n\r\n,,,\r\n'.lstrip("\ufeff")
    data = parse_pair_table(text, "set,item,cluster\none,a,1\n\none,b,1\n")
    assert data.meta["features"] == ("near, or not",)
    assert data.inputs[0].names == ("a", "b")


def test_a_single_item_needs_no_pair() -> None:
    data = parse_pair_table(PAIRS, CLUSTERS + "three,z,red\n")
    assert data.inputs[2].m == 1
    assert data.inputs[2].pairs.shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "P is empty; give a first line set,first,second and the features"),
        ("\n \n", "P is empty"),
        ("a,b,c\n", "P, line 1 begins 'a,b,c'; name the columns set,first,second and the features"),
        ("set,first,second\n", r"P, line 1, names the features \[\]; give at least one"),
        ("set,first,second,u,u\n", "each its own name"),
        (PAIRS + "one,a,b,1\n", "P, line 6 has 4 cells; give 5: set, first, second and the features"),
        (
            PAIRS + "one,b,a,1,1\n",
            "P, line 6 repeats the pair of line 2; give each pair once, in either order",
        ),
        (PAIRS + "one,a,a,1,1\n", "P, line 6 pairs item 'a' with itself; leave the line out"),
        (PAIRS + "one,a,d,1,1\n", "P, line 6 names item 'd', which set 'one' lacks; add it to Q"),
        (PAIRS + "six,a,b,1,1\n", "P, line 6 is of set 'six', which has no clusters; add its items to Q"),
        (PAIRS.replace("0.5", "nan"), "P, line 2 has 'nan' as 'near'; give a finite number"),
        (PAIRS.replace("0.5", "inf"), "P, line 2 has 'inf' as 'near'"),
        (PAIRS.replace("0.5", "much"), "P, line 2 has 'much' as 'near'; give a finite number"),
        (PAIRS.replace("0.5", "1_0"), "P, line 2 has '1_0' as 'near'"),
        (PAIRS.replace("0.5", ""), "P, line 2 has '' as 'near'"),
        (
            PAIRS.replace("one,b,c,1e3,1\n", ""),
            "P: set 'one' lacks the pair 'b', 'c'; give a line for every pair",
        ),
        (PAIRS + 'one,"a', "P, line 6, is no CSV .*; mend its quotation marks"),
    ],
)
def test_a_wrong_pair_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_pair_table(text, CLUSTERS, "P", "Q")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Q is empty; give a first line set,item,cluster"),
        ("set,item\n", "Q, line 1 begins 'set,item'; name the columns set,item,cluster"),
        ("set,item,cluster\n", "Q names no item; give a line for each"),
        (CLUSTERS + "one,a\n", "Q, line 7 has 2 cells or an empty one; give a set, an item and its cluster"),
        (CLUSTERS + "one,d,\n", "Q, line 7 has 3 cells or an empty one"),
        (
            CLUSTERS + "one,a,blue\n",
            "Q, line 7 puts item 'a' of set 'one' in 'blue', but it is in 'red'; put it in one",
        ),
        (CLUSTERS + "one,a,red\n", "but it is in 'red'; leave one line out"),
        (CLUSTERS.replace("two,x,red\n", ""), "names item 'x', which set 'two' lacks"),
        (CLUSTERS + "one,d,red\n", "set 'one' lacks the pair 'a', 'd'"),
    ],
)
def test_a_wrong_cluster_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_pair_table(PAIRS, text, "P", "Q")


def test_too_many_items_or_numbers_are_refused_before_they_are_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = "set,item,cluster\n" + "".join(f"s,{i},1\n" for i in range(2001))
    with pytest.raises(Refused, match="line 2002: set 's' has more than 2,000 items; split it"):
        parse_pair_table(PAIRS, many, "P", "Q")
    with pytest.raises(
        Refused, match="have 9,995,000 features, more than 5,000,000; give fewer items or features"
    ):
        parse_pair_table("set,first,second,a,b,c,d,e\n", many.replace("s,2000,1\n", ""), "P", "Q")
    monkeypatch.setattr(pair_table, "MOST_BYTES", 10)
    with pytest.raises(Refused, match="more than 0 million bytes; give a part of it"):
        read_pair_table(SAMPLES / "letters.pairs.csv")


def test_the_sample_is_told_by_being_straight_or_round() -> None:
    data = read_pair_table(SAMPLES / "letters.pairs.csv")
    assert [x.m for x in data.inputs] == [7, 7, 7, 8]
    assert spoken(data.labels[0], data.inputs[0].names) == "A E F / B D / C O"
    w = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -1.5])
    for x, y in zip(data.inputs, data.labels, strict=True):
        assert np.array_equal(x.pairs @ w > 0.0, together(y) > 0.0)


def test_files_are_looked_for_beside_each_other(tmp_path: Path) -> None:
    assert clusters_beside("a/x.pairs.csv") == Path("a/x.clusters.csv")
    with pytest.raises(Refused, match=r"x.csv does not end in .pairs.csv; name it so"):
        clusters_beside("x.csv")
    (tmp_path / "x.pairs.csv").write_text(PAIRS)
    with pytest.raises(
        Refused, match=r"x.clusters.csv is not a file; give a table of clusters, set, item, cluster"
    ):
        read_pair_table(tmp_path / "x.pairs.csv")
    (tmp_path / "other.csv").write_text(CLUSTERS)
    assert len(read_pair_table(tmp_path / "x.pairs.csv", tmp_path / "other.csv")) == 2


def test_a_table_of_pairs_trains_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(SAMPLES / "letters.pairs.csv")
    assert (
        main(["train", file, "--C", "1000", "--oracle", "all partitions", "--predictor", "all partitions"])
        == 0
    )
    out = capsys.readouterr().out
    assert "letters.pairs.csv: 4 examples, 7 weights" in out
    assert "a certificate, the oracle is exact" in out
    assert main(["train", file, "--C", "1000"]) == 0
    assert "the oracle is approximate" in capsys.readouterr().out
    (tmp_path / "x.pairs.csv").write_text(PAIRS)
    assert main(["train", str(tmp_path / "x.pairs.csv")]) == 2
    assert "x.clusters.csv is not a file" in capsys.readouterr().err
