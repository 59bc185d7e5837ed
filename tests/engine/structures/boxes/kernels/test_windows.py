"""Windows: sums by tables, bounds over sets, and both searches against plain loops."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.losses import IoU, ZeroOne
from explorer.engine.structures.boxes.kernels import windows

CODES = ((windows.NO_LOSS, None), (windows.OVERLAP, IoU()), (windows.ZERO_ONE_LOSS, ZeroOne()))


def every_window(rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    return [
        (x0, y0, x1, y1)
        for y0, y1, x0, x1 in product(range(rows), range(1, rows + 1), range(columns), range(1, columns + 1))
        if x0 < x1 and y0 < y1
    ]


def worth(cells: np.ndarray, truth: tuple, box: tuple, loss: object, scaled: bool, root: bool) -> float:
    """H, from slices of the picture alone."""
    score, own = (cells[y0:y1, x0:x1].sum() for x0, y0, x1, y1 in (box, truth))
    if loss is None:
        return float(score)
    r = loss.value(truth, box) ** (0.5 if root else 1.0)
    return float(r * (1.0 - own + score) if scaled else r - own + score)


def test_the_sum_of_a_window_is_that_of_its_cells() -> None:
    cells = np.random.default_rng(0).normal(size=(4, 6))
    S = windows.integral(cells)
    for x0, y0, x1, y1 in every_window(4, 6):
        assert windows.inside(S, x0, y0, x1, y1) == pytest.approx(cells[y0:y1, x0:x1].sum(), abs=1e-12)
    assert windows.inside(S, 3, 1, 3, 2) == windows.inside(S, 4, 0, 2, 3) == 0.0


@pytest.mark.parametrize(("code", "loss"), CODES)
@pytest.mark.parametrize(("scaled", "root"), [(False, False), (True, False), (False, True), (True, True)])
def test_both_searches_find_the_largest_worth_of_all_windows(
    code: int, loss: object, scaled: bool, root: bool
) -> None:
    if loss is None and (scaled or root):
        return  # without a loss nothing is priced
    rng = np.random.default_rng(code)
    for trial in range(12):
        rows, columns = rng.integers(1, 6, 2)
        cells = rng.normal(scale=10.0 ** rng.uniform(-2, 1), size=(rows, columns)) - 0.1
        boxes = every_window(rows, columns)
        truth = boxes[rng.integers(len(boxes))]
        best = max(worth(cells, truth, box, loss, scaled, root) for box in boxes)
        for search in (windows.best_of_all, windows.branch_and_bound):
            *box, value, _ = search(cells, np.array(truth), code, scaled, root)
            assert tuple(box) in boxes, trial
            assert value == pytest.approx(best, abs=1e-10)
            assert worth(cells, truth, tuple(box), loss, scaled, root) == pytest.approx(best, abs=1e-10)


def test_the_first_of_equal_windows_is_taken_when_all_are_looked_at() -> None:
    *box, value, seen = windows.best_of_all(np.zeros((2, 3)), np.array([0, 0, 1, 1]), 0, False, False)
    assert (box, value, seen) == ([0, 0, 1, 1], 0.0, 18)


@pytest.mark.parametrize(("code", "loss"), CODES)
def test_no_window_of_a_set_exceeds_its_bound(code: int, loss: object) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        cells = rng.normal(size=(4, 5))
        plus, minus = windows.integral(np.maximum(cells, 0.0)), windows.integral(np.minimum(cells, 0.0))
        boxes = every_window(4, 5)
        truth = boxes[rng.integers(len(boxes))]
        limits = [np.sort(rng.integers(low, high, 2)) for low, high in ((0, 5), (0, 4), (1, 6), (1, 5))]
        own = cells[truth[1] : truth[3], truth[0] : truth[2]].sum() if loss else 0.0
        for scaled, root in ((False, False), (True, True)) if loss else ((False, False),):
            bound = windows.bound_of(
                plus, minus, np.array(truth), code, scaled, root, own, np.concatenate(limits)
            )
            inside = [
                box
                for box in boxes
                if all(low <= side <= high for side, (low, high) in zip(box, limits, strict=True))
            ]
            most = max((worth(cells, truth, box, loss, scaled, root) for box in inside), default=-np.inf)
            assert most <= bound + 1e-10
