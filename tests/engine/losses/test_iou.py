"""Box overlap, checked by painting the boxes."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.losses import IoU
from explorer.engine.refusals import Refused


def painted(box: tuple[int, int, int, int]) -> Any:
    x0, y0, x1, y1 = box
    cells = np.zeros((12, 12), dtype=bool)
    cells[y0:y1, x0:x1] = True
    return cells


@pytest.mark.spec("A2")
def test_two_boxes_that_share_one_of_seven_cells_lose_six_sevenths() -> None:
    assert IoU().value((0, 0, 2, 2), (1, 1, 3, 3)) == pytest.approx(0.857142857, abs=1e-9)


def test_boxes_that_only_touch_share_nothing() -> None:
    assert IoU().value((0, 0, 2, 2), (2, 0, 4, 2)) == 1.0


def test_the_loss_is_what_counting_cells_says() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        x0, y0, u0, v0 = rng.integers(0, 8, 4).tolist()
        a = (x0, y0, x0 + int(rng.integers(1, 5)), y0 + int(rng.integers(1, 5)))
        b = (u0, v0, u0 + int(rng.integers(1, 5)), v0 + int(rng.integers(1, 5)))
        shared, covered = (painted(a) & painted(b)).sum(), (painted(a) | painted(b)).sum()
        assert IoU().value(a, np.array(b)) == pytest.approx(1 - shared / covered, abs=1e-12)


@pytest.mark.parametrize("box", [(0, 0, 0, 2), (2, 0, 1, 2), (0, 0, 2), (0, 0, float("nan"), 2)])
def test_a_box_without_cells_is_refused(box: Any) -> None:
    with pytest.raises(Refused, match="covers no cell"):
        IoU().value((0, 0, 1, 1), box)
