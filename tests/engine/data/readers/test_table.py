"""Tables: which cells are read, which features they become, and what is refused by line."""

import csv
import io

import numpy as np
import pytest

from explorer.engine.data.readers.table import (
    encode_rows,
    feature_names,
    fit_columns,
    parse_table,
    sequence_ends,
    sequence_features,
)
from explorer.engine.data.writers.table import with_column
from explorer.engine.refusals import Refused

TEXT = 'doc;word;size;tag\n1;"a;b";2;X\r\n\n1;"say ""hi""\nthere";4;Y\n2; plain ;6;X'


def test_cells_lines_and_separators_are_read_as_the_standard_library_reads_them() -> None:
    table = parse_table(TEXT)
    wanted = [row for row in csv.reader(io.StringIO(TEXT, newline=""), delimiter=";") if row]
    assert [table.header.cells, *(row.cells for row in table.rows[:2])] == wanted[:3]
    assert [row.number for row in table.rows] == [2, 4, 6]
    assert table.rows[2].cells[1] == "plain", "blanks around a cell are no part of it"
    assert parse_table("a\tb\n1\t2,5").rows[0].cells == ["1", "2,5"]


def test_numbers_are_scaled_and_texts_become_zeros_and_ones() -> None:
    table = parse_table("x,sky,y\n1,sun,a\n3,rain,b\n5,sun,a\n")
    columns = fit_columns(table, table.rows, ["x", "sky"], scale=True)
    assert columns[1] == ["sky", "text", ["rain", "sun"]]
    numbers, texts = encode_rows(table, table.rows, columns)
    deviation = np.sqrt(8 / 3)  # of 1, 3, 5 about their mean 3
    assert numbers == pytest.approx(np.array([[1, -2 / deviation], [1, 0], [1, 2 / deviation]]))
    assert texts.toarray().tolist() == [[0, 1], [1, 0], [0, 1]]
    assert feature_names(columns) == ["constant", "x", "sky=rain", "sky=sun"]
    other = parse_table("x,sky\n3,snow\n")
    assert encode_rows(other, other.rows, columns)[1].toarray().tolist() == [[0, 0]], "an unknown text"


def test_rows_of_a_sequence_see_their_neighbours_but_not_those_of_another() -> None:
    table = parse_table("s,w,y\n1,a,X\n1,b,X\n2,a,Y\n")
    columns = fit_columns(table, table.rows, ["w"], scale=True)
    ends = sequence_ends(table, table.rows, "s")
    assert ends.tolist() == [0, 2, 3]
    rows = sequence_features(encode_rows(table, table.rows, columns), ends, 1).toarray().tolist()
    assert feature_names(columns, 1) == ["constant", "w=a", "w=b", "-1:w=a", "-1:w=b", "+1:w=a", "+1:w=b"]
    assert rows == [[1, 1, 0, 0, 0, 0, 1], [1, 0, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1\n", "line 2 has 1 cells; give 2"),
        ("a,a\n1,2\n", "line 1, names the columns 'a, a'; give each of at least two columns a name"),
        ("a\n1\n", "line 1, names the columns 'a'"),
        ("a,b\n", "has no line below its names"),
        ('a,b\n1,x"y"\n', "line 2, has a quotation mark inside a cell"),
        ('a,b\n1,2\n1,"x\n', "line 3, has a quotation mark inside a cell"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_table(text)


def test_what_is_no_number_or_no_sequence_is_refused_with_its_line_and_the_fix() -> None:
    table = parse_table("x,y\n1,a\n,b\n3,a\n")
    with pytest.raises(Refused, match="line 3 has an empty cell in column 'x'; fill it in, or leave"):
        fit_columns(table, table.rows, ["x"], scale=True)
    other = parse_table("x,y\nbig,a\n")
    with pytest.raises(Refused, match="line 2 has 'big' as 'x', which is a column of numbers"):
        encode_rows(other, other.rows, [["x", "number", 0.0, 1.0]])
    apart = parse_table("s,y\n1,a\n2,b\n1,a\n")
    with pytest.raises(Refused, match="line 4 goes on with the sequence '1', which ended before; let"):
        sequence_ends(apart, apart.rows, "s")
    with pytest.raises(Refused, match="has no column 'z' for the label; it has s, y"):
        apart.at("z", "label")


def test_only_the_labels_change_and_a_missing_column_is_added() -> None:
    table = parse_table(TEXT)
    changed = with_column(table, "tag", ["P", 'a "b"', "Q;R"])
    assert changed == TEXT.replace(";X\r", ";P\r").replace(";4;Y", ';4;"a ""b"""').replace(";6;X", ';6;"Q;R"')
    assert [row.cells[-1] for row in parse_table(changed).rows] == ["P", 'a "b"', "Q;R"]
    added = with_column(table, "more", ["1", "2", "3"])
    assert [row.cells[-1] for row in parse_table(added).rows] == ["1", "2", "3"]
    assert added.startswith("doc;word;size;tag;more\n1;")
