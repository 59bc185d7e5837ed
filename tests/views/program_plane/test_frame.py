"""The picture of a program of two variables."""

import pytest

from explorer.labs.programs.state import ProgramLab
from explorer.views.program_plane.frame import plane_frame
from explorer.views.program_plane.view import ProgramPlane
from explorer.views.program_plane.words import plane_sentence


def test_the_printed_example_is_shown_with_its_optimum_and_its_duals() -> None:
    frame = plane_frame(ProgramLab())
    assert frame.relaxed == pytest.approx([1.0, 2.25])
    assert frame.duals == pytest.approx([5 / 24, 1 / 24])
    assert frame.picture.walk[-1] == pytest.approx([1.0, 2.25])
    assert "3.25 is at x0 = 1, x1 = 2.25" in plane_sentence(frame)


def test_whole_numbers_are_found_among_the_dots() -> None:
    frame = plane_frame(ProgramLab(whole=True, nonnegative=True))
    best = max(float(x + y) for x, y in frame.picture.grid)
    assert frame.whole_value == pytest.approx(best)
    assert frame.whole_value <= frame.value


def test_programs_without_an_optimum_are_told_as_such() -> None:
    endless = plane_frame(ProgramLab(c0=-1.0))
    assert endless.status == "unbnd"
    assert "without end" in plane_sentence(endless)
    none = plane_frame(ProgramLab(a_most=-20.0, b_most=-20.0, nonnegative=True))
    assert plane_sentence(none) == "No point satisfies all rows."
    assert len(none.picture.corners) == 0


def test_the_picture_is_drawn_anew_when_a_number_changes() -> None:
    lab = ProgramLab()
    view = ProgramPlane(lab)
    before = dict(view.sources["relaxed"].data)
    lab.b_most = 24.0
    view.refresh()
    assert list(view.sources["relaxed"].data["x"]) != list(before["x"])
    assert list(view.sources["grid"].data["x"]) == []
    lab.whole = True
    view.refresh()
    assert len(view.sources["grid"].data["x"]) > 5
    assert view.table(view.frame())["objective"][-1] == pytest.approx(view.frame().value)
    view.close()


def test_the_code_beside_it_is_the_same_program() -> None:
    from explorer.engine.programs import LPX

    lab = ProgramLab(whole=True, nonnegative=True)
    scope = {"LPX": LPX}
    exec(lab.code(), scope)
    lp = scope["lp"]
    assert isinstance(lp, LPX)
    assert lp.obj.value == pytest.approx(plane_frame(lab).whole_value)
