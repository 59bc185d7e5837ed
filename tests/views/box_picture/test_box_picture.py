"""Boxes in a picture: what is drawn is what going through every window finds, and the words say it."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.session.state import Session
from explorer.views import structure_of
from explorer.views.box_picture import frame as numbers
from explorer.views.box_picture.view import BoxPicture
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.theme import DARK, LIGHT


def made(scale: float = 1.0) -> tuple[Any, Trace]:
    problem, _ = Recipe("detection", data={"n": 3, "n_test": 0, "size": 8}).problem()
    trace = Trace()
    trace.append(Started(problem.name, "1-slack", problem.n, problem.dim, 0, True, {"C": 1.0}))
    w = np.random.default_rng(0).normal(scale=scale, size=problem.dim)
    trace.append(Step(0, w, bounds=Bounds(1.0)))
    return problem, trace


def test_guess_and_most_tempting_box_are_those_of_enumeration() -> None:
    problem, trace = made()
    w = trace.at(0).w
    for example in range(3):
        shown = numbers.frame(problem, trace, 0, example)
        scores = [float(w @ problem.features(example, y)) for y in problem.labellings(example)]
        own = float(w @ problem.features(example, problem.dataset.labels[example]))
        worth = [
            problem.loss(example, y) - own + score
            for y, score in zip(problem.labellings(example), scores, strict=True)
        ]
        assert shown.score("guess") == pytest.approx(max(scores), abs=1e-10)
        assert shown.violation == pytest.approx(max(worth), abs=1e-10)
        assert shown.losses["truth"] == 0.0
        assert shown.windows == len(scores) == 36 * 36


def test_the_share_of_guess_and_truth_is_counted_in_cells() -> None:
    problem, trace = made()
    shown = numbers.frame(problem, trace, 0, 1)
    masks = []
    for role in ("truth", "guess"):
        x0, y0, x1, y1 = shown.boxes[role]
        mask = np.zeros((8, 8), dtype=bool)
        mask[y0:y1, x0:x1] = True
        masks.append(mask)
    both, either = np.logical_and(*masks).sum(), np.logical_or(*masks).sum()
    assert numbers.share(shown) == pytest.approx(both / either)
    assert f"{both / either:.0%}" in numbers.sentence(shown) or "right" in numbers.sentence(shown)
    assert numbers.table(shown)["loss"] == [shown.losses[role] for role in numbers.ROLES]


def test_the_view_fits_pictures_draws_them_and_says_so_elsewhere() -> None:
    problem, _ = made()
    assert structure_of(problem) is BoxPicture
    session = Session(Recipe("detection", data={"n": 3, "n_test": 0, "size": 8}))
    view = BoxPicture(session)
    view.refresh()
    rows = view.picture.cells.data["image"][0]
    assert rows.shape == (8, 8)
    x0, y0, x1, y1 = session.problem.dataset.labels[0]
    left, right, bottom, top = (
        view.picture.outlines["truth"].data[k][0] for k in ("left", "right", "bottom", "top")
    )
    assert (left, right, bottom, top) == (x0, x1, 8 - y1, 8 - y0)
    for theme in (LIGHT, DARK):
        view.recolour(theme)
        assert view.picture.glyphs["truth"].glyph.line_color == theme.truth
    session.close()


def test_a_box_reads_as_its_columns_and_rows() -> None:
    problem, _ = made()
    shown = depiction_of(problem)
    assert shown.label_text(problem, np.array([2, 1, 5, 4])) == "columns 2-4, rows 1-3"
    truth = problem.dataset.labels[0]
    assert shown.difference(truth, truth).startswith("0 ")
    assert shown.weights(problem)[0].rows == problem.dim
    words, picture = shown.thumbnail(problem, LIGHT, 0)
    assert "8 by 8" in words
    assert "<rect" in picture


@pytest.mark.parametrize(("wide", "high"), [(900, 300), (300, 900), (400, 400)])
def test_cells_are_squares_in_whatever_room_there_is(wide: int, high: int) -> None:
    session = Session(Recipe("detection", data={"n": 3, "n_test": 0, "size": 8}))
    view = BoxPicture(session)
    view.refresh()
    view.picture.room.take(wide, high)
    x, y = view.picture.plot.x_range, view.picture.plot.y_range
    assert wide / (x.end - x.start) == pytest.approx(high / (y.end - y.start))
    assert x.start <= 0 < 8 <= x.end
    assert y.start <= 0 < 8 <= y.end
    session.close()
