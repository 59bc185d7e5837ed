"""What is drawn and written of a study: numbers by hand, published ones beside ours, nothing lost and nothing
unescaped.
"""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer.session.study_store import Result
from explorer.studies import STUDIES
from explorer.studies.support.rows import row
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Column, Finding, Plot, Row
from explorer.views.kit.drawing.theme import LIGHT
from explorer.views.study.frame import DECADES, MOST_POINTS, Series, StudyFrame, frame, span
from explorer.views.study.view import StudyPicture
from explorer.views.study.words import (
    MOST_LINES,
    csv_text,
    findings_html,
    parts,
    rows_with_twins,
    sentence,
    table_html,
)
from tests.session.toy_study import Squares


def study_with(plot: Plot, published: Sequence[Row] = (), names: str = "name place x y z") -> Any:
    """A study that is drawn in some way; the first two columns are keys."""
    columns = tuple(
        Column(name, f"the {name}", key=k < 2, form=".1f") for k, name in enumerate(names.split())
    )
    kind = type("Drawn", (Squares,), {"plot": plot, "columns": columns, "published": tuple(published)})
    return kind()


def drawn(frame: StudyFrame, panel: int = 0, ours: bool = True) -> list[Series]:
    return [line for line in frame.panels[panel].lines if line.ours is ours]


# Lines.


@pytest.mark.spec("F51")
def test_a_path_follows_its_own_column_even_where_x_falls_and_names_its_points() -> None:
    study = study_with(Plot("lines", "x", ("y", "z"), series="name", along="place"))
    rows = [
        row(name="a", place=place, x=x, y=10.0 * place, z=0.0)
        for place, x in ((100.0, 0.3), (1.0, 0.2), (10.0, 0.5))
    ]
    found = drawn(frame(study, rows, ()))
    assert [line.x.tolist() for line in found] == [[0.2, 0.5, 0.3]] * 2
    assert found[0].y.tolist() == [10.0, 100.0, 1000.0]
    assert {line.labels for line in found} == {("1", "10", "100")}
    resting = [
        row(name="a", place=10.0**k, x=x, y=2.0, z=0.0) for k, x in enumerate((0.2, 0.3, 0.301, 0.3, 0.5))
    ]
    assert drawn(frame(study, resting, ()))[0].labels == ("1", "10, 100, 1000", "", "", "10000")
    picture = StudyPicture(study)
    picture.show(Result(study, tuple(rows), (), (), 0.0), whole=True)
    assert picture.pictures[0].names.data["text"] == ["1", "10", "100"]
    assert picture.pictures[0].names.data["x"] == [0.2, 0.5, 0.3]
    assert "its place" in picture.help


def test_lines_are_sorted_by_x_and_told_apart_by_series_with_the_published_beside_them() -> None:
    study = Squares()
    found = frame(
        study,
        [
            row(k=3, square=9, parity="odd"),
            row(k=2, square=4, parity="even"),
            row(k=1, square=1, parity="odd"),
        ],
        (),
    )
    odd, even = drawn(found)
    assert (odd.x.tolist(), odd.y.tolist(), odd.hue) == ([1.0, 3.0], [1.0, 9.0], 0)
    assert (even.x.tolist(), even.hue, even.dash) == ([2.0], 1, 0)
    assert found.hues == ("odd", "even")
    printed = {line.name: line for line in drawn(found, ours=False)}
    assert printed["odd"].y.tolist() == [1.0, 18.0]
    assert printed["odd"].hue == odd.hue
    assert (found.x_title, found.y_title, found.published) == ("number", "square", "published")


def test_before_the_first_row_the_published_numbers_are_there() -> None:
    found = frame(Squares(), (), ())
    assert drawn(found) == []
    assert sum(len(line.x) for line in drawn(found, ours=False)) == 3
    assert found.x_range[0] < 1.0
    assert found.x_range[1] > 9.0


def test_several_columns_have_a_dash_each_or_a_colour_where_there_is_no_series() -> None:
    rows = [row(name="a", x=1, y=2.0, z=3.0), row(name="b", x=1, y=4.0)]
    both = frame(study_with(Plot("lines", "x", ("y", "z"), series="name")), rows, ())
    assert [(line.name, line.hue, line.dash) for line in drawn(both)] == [
        ("a: the y", 0, 0),
        ("a: the z", 0, 1),
        ("b: the y", 1, 0),
    ]
    assert (both.hues, both.dashes) == (("a", "b"), ("the y", "the z"))
    alone = frame(study_with(Plot("lines", "x", ("y", "z"))), rows, ())
    assert (alone.hues, alone.dashes) == (("the y", "the z"), ())


def test_a_panel_for_each_value_with_the_same_axes_and_colours() -> None:
    rows = [row(place="here", name="a", x=1, y=1.0), row(place="there", name="b", x=5, y=9.0)]
    found = frame(study_with(Plot("lines", "x", ("y",), series="name", panel="place")), rows, ())
    assert [panel.title for panel in found.panels] == ["here", "there"]
    assert [drawn(found, k)[0].hue for k in (0, 1)] == [0, 1]
    assert found.x_range[0] < 1.0 < 5.0 < found.x_range[1]


def test_a_logarithmic_axis_leaves_out_what_has_no_place_on_it_and_says_so() -> None:
    rows = [
        row(name="a", x=0, y=1.0),
        row(name="a", x=1, y=0.0),
        row(name="a", x=10, y=100.0),
        row(name="a", x=2),
    ]
    found = frame(study_with(Plot("lines", "x", ("y",), log=("x", "y"))), rows, ())
    (line,) = drawn(found)
    assert (line.x.tolist(), line.y.tolist()) == ([10.0], [100.0])
    assert found.y_title == "the y (above 0)"
    assert 0.0 < found.y_range[0] < 100.0 < found.y_range[1]


def test_rows_or_the_table_are_drawn_as_the_plot_asks() -> None:
    rows, table = [row(name="a", x=1, y=1.0)], [row(name="a", x=2, y=2.0)]
    for of, x in (("rows", 1.0), ("table", 2.0)):
        found = frame(study_with(Plot("lines", "x", ("y",), of=of)), rows, table)
        assert drawn(found)[0].x.tolist() == [x]


# Curves, bars, heat.


def test_curves_are_sorted_values_against_their_rank_with_room_for_those_not_drawn() -> None:
    rows = [row(name="a", x=k, y=y) for k, y in enumerate((7.0, 0.0, 3.0, 0.0))]
    found = frame(study_with(Plot("curves", "x", ("y",), series="name", log=("y",))), rows, ())
    (line,) = drawn(found)
    assert (line.x.tolist(), line.y.tolist()) == ([3.0, 4.0], [3.0, 7.0])
    assert found.x_range == (0.0, pytest.approx(4.08))
    assert found.x_title == "the xs, sorted"


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    rows = [row(name="a", x=k, y=float(k)) for k in range(3 * MOST_POINTS)]
    (line,) = drawn(frame(study_with(Plot("curves", "x", ("y",), series="name")), rows, ()))
    assert len(line.x) <= MOST_POINTS
    assert (line.y[0], line.y[-1]) == (0.0, 3 * MOST_POINTS - 1)


def test_bars_stand_side_by_side_around_the_middle_of_their_place() -> None:
    rows = [row(name="a", y=1.0, z=2.0), row(name="b", y=3.0)]
    printed = [row(name="b", z=5.0)]
    found = frame(study_with(Plot("bars", "name", ("y", "z")), printed), rows, ())
    (panel,) = found.panels
    first, second = drawn(found)
    assert panel.places == ("a", "b")
    assert first.x.tolist() == pytest.approx([-0.2, 0.8])
    assert second.x.tolist() == pytest.approx([0.2])
    (hollow,) = drawn(found, ours=False)
    assert (hollow.x.tolist(), hollow.y.tolist()) == ([pytest.approx(1.2)], [5.0])
    assert found.y_range[0] == 0.0


def test_a_heat_map_has_both_numbers_in_a_cell_and_tells_lonely_ones_in_the_title() -> None:
    printed = [
        row(name=n, place=p, y=v)
        for n, p, v in (("a", "u", 1.0), ("b", "u", 2.0), ("a", "v", 3.0), ("alone", "alone", 9.0))
    ]
    ours = [row(name="a", place="u", y=1.5), row(name="b", place="v", y=4.0)]
    (panel,) = frame(study_with(Plot("heat", "place", ("y",), series="name"), printed), ours, ()).panels
    assert (panel.places, panel.levels) == (("u", "v"), ("a", "b"))
    cells = {(spot.column, spot.row): (spot.ours, spot.published) for spot in panel.spots}
    assert cells[0, 0] == (1.5, 1.0)
    assert math.isnan(cells[0, 1][0])
    assert math.isnan(cells[1, 1][1])
    assert len(cells) == 4
    assert "alone … (9.00)" in panel.title


def test_axes_have_room_and_logarithmic_ones_an_end() -> None:
    low, high = span([np.array([1.0, 3.0])], log=False)
    assert low < 1.0 < 3.0 < high
    assert span([np.array([5.0])], log=False) == (4.5, 5.5)
    assert span([np.array([2.0, 4.0])], log=False, whole=True)[0] == 0.0
    low, high = span([np.array([1e-300, 1.0])], log=True)
    assert 10.0 ** (-DECADES - 1.0) < low < 10.0**-DECADES
    assert span([], log=True) == (1.0, 10.0)


@pytest.mark.parametrize("kind", STUDIES, ids=lambda kind: kind.name)
def test_every_study_can_be_drawn_and_written_before_its_first_row(kind: Any) -> None:
    study = kind.quick()
    found = frame(study, (), ())
    points = sum(len(line.x) for panel in found.panels for line in panel.lines)
    cells = sum(len(panel.spots) for panel in found.panels)
    assert (points + cells > 0) == any(
        name in printed and study.plot.x in printed for printed in study.published for name in study.plot.y
    )
    text = table_html(study, (), "10px", LIGHT)
    assert ("No number yet" in text) == (not study.published)
    assert sentence(study, (), (), whole=False) == f"0 of {study.total:,} rows; no finding yet."


# Words.


def test_the_sentence_counts_rows_and_verdicts() -> None:
    findings = [Finding("", verdict, "") for verdict in (HELD, OPEN, HELD, NOT_HELD)]
    rows = [row(k=k) for k in range(12)]
    assert sentence(Squares(count=30), rows, findings, whole=False) == (
        "12 of 30 rows; 2 findings held, 1 not held, 1 open."
    )
    assert sentence(Squares(count=30), rows, findings[1:2], whole=True) == "12 rows; 1 finding open."


def test_the_table_has_keys_first_ours_beside_the_published_and_the_difference() -> None:
    study = Squares()
    rows = rows_with_twins(study, [row(k=2, square=5, parity="even"), row(k=3, square=9, parity="odd")])
    columns = parts(study, rows)
    assert [part.title for part in columns] == [
        "number",
        "square",
        "published",
        "difference",
        "parity",
        "published",
    ]
    text = [[part.text(found) for part in columns] for found in rows]
    assert text[0] == ["2", "5", "4", "+1", "even", "even"]
    assert text[1] == ["3", "9", "–", "–", "odd", ""]
    assert text[2:] == [["1", "–", "1", "–", "", "odd"], ["9", "–", "18", "–", "", "odd"]]


def test_key_columns_come_first_wherever_the_study_has_them() -> None:
    study = study_with(Plot("lines", "x", ("y",)))
    study = replace(study)
    type(study).columns = tuple(reversed(type(study).columns))
    columns = parts(study, [row(name="a", place="b", y=1.0)])
    assert [part.column.name for part in columns] == ["place", "name", "y"]


def test_a_long_table_shows_its_last_lines() -> None:
    rows = [row(k=k, square=k * k) for k in range(100, 100 + 2 * MOST_LINES)]
    text = table_html(Squares(), rows, "10px", LIGHT)
    assert text.count("<tr>") == MOST_LINES + 1
    assert f"the last {MOST_LINES} of {2 * MOST_LINES + 3} lines" in text
    assert ">499</td>" in text


def test_whole_numbers_that_are_broken_are_written_all_the_same() -> None:
    rows = rows_with_twins(Squares(), [row(k=1, square=1.5)])
    square = parts(Squares(), rows)[1]
    assert square.text(rows[0]) == "1.5"


def test_every_verdict_has_its_word_and_its_sign() -> None:
    findings = [Finding(f"claim {verdict}", verdict, "why") for verdict in (HELD, NOT_HELD, OPEN)]
    text = findings_html(findings, LIGHT)
    assert [f">{verdict}</b>" in text for verdict in (HELD, NOT_HELD, OPEN)] == [True, True, True]
    signs = {part.partition("</svg>")[0].partition("<circle")[2] for part in text.split("<svg")[1:]}
    assert len(signs) == 3


def test_words_from_a_study_are_escaped() -> None:
    bad = "<img src=x onerror=alert(1)>"
    assert "<img" not in findings_html([Finding(bad, HELD, bad)], LIGHT)
    assert "<img" not in table_html(Squares(), [row(k=1, parity=bad)], "10px", LIGHT)


def test_rows_as_csv_can_be_read_again() -> None:
    text = csv_text(Squares(), [row(k=1, square=1), row(k=2, parity='e"ven, really')])
    read = list(csv.DictReader(io.StringIO(text)))
    assert read == [
        {"k": "1", "square": "1", "parity": ""},
        {"k": "2", "square": "", "parity": 'e"ven, really'},
    ]
