"""The figures of a study: filled in place, told apart without colour, hollow where it was published, in every
theme.
"""

import math
from typing import Any

import pytest

from explorer.session.study_store import Result
from explorer.studies import STUDIES
from explorer.studies.support.rows import row
from explorer.studies.support.study import Plot
from explorer.views.kit.drawing.theme import DARK, LIGHT, THEMES
from explorer.views.study.blocks import shades
from explorer.views.study.parts import MARKERS, dash, wrap_name
from explorer.views.study.view import StudyPicture
from tests.session.toy_study import Squares
from tests.views.study.test_frame import study_with


def result(study: Any, rows: Any) -> Result:
    rows = tuple(rows)
    return Result(study, rows, study.table(rows), study.findings(rows) if rows else (), 1.0)


def test_rows_fill_the_same_sources_and_a_new_series_gets_glyphs_of_its_own() -> None:
    study, view = Squares(), StudyPicture(Squares())
    rows = list(study.rows())
    view.show(result(study, rows[:1]), whole=False)
    picture, figure = view.pictures[0], view.figures[0]
    even = picture.lines[0, 0, True][0].data_source
    assert even.data["x"].tolist() == [0.0]
    assert (1, 0, True) not in picture.lines
    view.show(result(study, rows), whole=True)
    assert view.figures == [figure]
    assert picture.lines[0, 0, True][0].data_source is even
    assert even.data["x"].tolist() == [0.0, 2.0, 4.0]
    assert picture.lines[1, 0, True][0].data_source.data["y"].tolist() == [1.0, 9.0]
    assert "5 rows; 1 finding held, 1 not held." in view.words.object
    view.show(result(study, ()), whole=False)
    assert len(even.data["x"]) == 0


def test_published_points_are_hollow_dotted_and_have_the_colour_of_their_series() -> None:
    view = StudyPicture(Squares())
    view.show(result(Squares(), Squares().rows()), whole=True)
    lines = view.pictures[0].lines
    for j in (0, 1):
        (ours, filled), (theirs, hollow) = lines[j, 0, True], lines[j, 0, False]
        assert filled.glyph.fill_alpha > 0.0 == hollow.glyph.fill_alpha
        assert ours.glyph.line_dash != theirs.glyph.line_dash
        assert filled.glyph.line_color == hollow.glyph.line_color
        assert filled.glyph.marker == hollow.glyph.marker
    assert lines[0, 0, True][1].glyph.marker != lines[1, 0, True][1].glyph.marker
    assert [item.label.value for item in view.pictures[0].key.legend.items] == ["even", "odd", "published"]


def test_eight_series_are_told_apart_without_colour() -> None:
    signs = {(MARKERS[j], dash(j, 0, True)) for j in range(8)}
    assert len(signs) == 8
    assert dash(0, 0, True) != dash(6, 0, True), "where a colour comes round again the line is another"
    assert dash(0, 0, True) != dash(0, 1, True)


def test_panels_get_figures_as_they_appear_and_are_hidden_when_they_are_gone() -> None:
    study = study_with(Plot("lines", "x", ("y",), panel="place"))
    rows = [row(name="a", place=place, x=1, y=1.0, square=1) for place in "pqrs"]
    view = StudyPicture(study)
    view.show(result(study, rows[:1]), whole=False)
    first, shown_in = view.figures[0], view.box[0][0]
    view.show(result(study, rows), whole=False)
    assert view.figures[0] is first
    assert view.box[0][0] is shown_in, "in another pane the browser would not know the figure any more"
    assert [figure.title.text for figure in view.figures] == ["p", "q", "r", "s"]
    assert [len(line) for line in view.box] == [3, 3]
    view.show(result(study, rows[:2]), whole=False)
    assert [figure.visible for figure in view.figures] == [True, True, False, False]


def test_bars_carry_their_numbers_and_published_ones_are_diamonds() -> None:
    study = study_with(Plot("bars", "name", ("y", "z")), [row(name="a", y=2.0)])
    view = StudyPicture(study)
    view.show(result(study, [row(name="a", y=1.0, z=0.0, square=1)]), whole=True)
    picture = view.pictures[0]
    assert sorted(picture.numbers.data["text"]) == ["0.0", "1.0"]
    assert picture.bars[0, 0, True].glyph.hatch_pattern != picture.bars[1, 0, True].glyph.hatch_pattern
    assert picture.bars[0, 0, False].glyph.marker == "diamond"
    assert picture.figure.xaxis[0].major_label_overrides == {0.0: "a"}


def test_a_heat_map_writes_both_numbers_and_leaves_what_is_missing_unfilled() -> None:
    printed = [row(name=n, place=p, y=1.0) for n in "ab" for p in "uv"]
    study = study_with(Plot("heat", "place", ("y",), series="name"), printed)
    view = StudyPicture(study)
    view.show(result(study, [row(name="a", place="u", y=3.0, square=1)]), whole=False)
    picture = view.pictures[0]
    assert list(picture.numbers.data["ours"]) == ["3.0", "", "", ""]
    assert list(picture.numbers.data["published"]) == 4 * ["(1.0)"]
    assert list(picture.cells.data["dash"]) == [[], [4, 3], [4, 3], [4, 3]]
    view.theme = DARK
    assert set(picture.cells.data["colour"][1:]) == {DARK.background}


def test_shades_rise_with_the_numbers_and_never_hide_the_text() -> None:
    colours = shades([1.0, math.nan, 3.0, 2.0], LIGHT)
    light = [sum(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in colours]
    assert light[1] > light[0] > light[3] > light[2]
    for theme in THEMES.values():
        strongest = shades([0.0, 1.0], theme)[1]
        assert contrast(strongest, theme.text) >= 4.5, theme.name


def contrast(a: str, b: str) -> float:
    """The contrast of two colours by the accessibility guidelines (WCAG 2)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("kind", STUDIES, ids=lambda kind: kind.name)
def test_every_study_has_figures_in_every_theme(kind: Any) -> None:
    study = kind.quick()
    for theme in THEMES.values():
        view = StudyPicture(study, theme=theme)
        view.show(result(study, ()), whole=False)
        assert {figure.background_fill_color for figure in view.figures} == {theme.background}
        assert all(figure.renderers for figure in view.figures)


def test_the_rows_behind_the_picture_are_listed_when_asked_for() -> None:
    view = StudyPicture(Squares())
    view.show(result(Squares(), Squares().rows()), whole=True)
    assert not view.numbers.pane.visible
    view.table_open = True
    assert view.numbers.pane.visible
    assert ">16</td>" in view.numbers.pane.object


def test_long_names_are_broken_at_spaces() -> None:
    assert wrap_name("belief propagation", 11) == "belief\npropagation"
    assert wrap_name("no edges", 11) == "no edges"
