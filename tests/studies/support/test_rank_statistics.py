"""Win / tie / lose and signed ranks, against scipy's test and against listing all assignments of signs."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from explorer.engine.refusals import Refused
from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.rank_statistics import (
    compare_ranks,
    compared_rows,
    drawn_tail,
    exact_tail,
    mid_ranks,
)
from explorer.studies.support.rows import row


@pytest.mark.spec("C48")
@pytest.mark.parametrize(
    ("data", "counts", "W", "p"),
    [
        ("WebKB-L", (2, 0, 2), -4.0, 0.3125),
        ("WebKB-N", (0, 0, 4), 10.0, 0.0625),
        ("News", (8, 3, 10), 31.0, 0.258),
        ("Synth", (5, 0, 0), -15.0, 0.03125),
    ],
)
def test_table_4_5_follows_from_tables_4_3_and_4_4(
    data: str, counts: tuple[int, int, int], W: float, p: float
) -> None:
    found = compare_ranks(printed.column(data, "Iterative"), printed.column(data, "Spectral"))
    assert (found.win, found.tie, found.lose) == counts
    assert found.W == W
    assert found.p == pytest.approx(p, abs=5e-4)
    if data == "News":
        assert found.normal == pytest.approx(0.253, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_exact_tail_is_that_of_scipy_where_no_two_differences_are_equal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 12))
    theirs = wilcoxon(a, b, alternative="less" if compare_ranks(a, b).W < 0.0 else "greater", mode="exact")
    assert compare_ranks(a, b).p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("sizes", [(1.0, 1.0, 2.0, 3.0, 3.0, 3.0), (0.5,), (2.0, 2.0, 2.0, 2.0)])
def test_with_shared_ranks_the_tail_is_the_share_of_all_assignments_of_signs(
    sizes: tuple[float, ...],
) -> None:
    ranks = mid_ranks(np.array(sizes))
    assert ranks.tolist() == rankdata(sizes).tolist()
    sums = np.array([np.dot(signs, ranks) for signs in product((-1.0, 1.0), repeat=len(ranks))])
    for W in np.unique(np.abs(sums)):
        assert exact_tail(ranks, float(W)) == pytest.approx(float(np.mean(sums >= W)), abs=1e-12)


def test_random_signs_come_near_to_the_exact_tail() -> None:
    ranks = mid_ranks(np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]))
    near = drawn_tail(ranks, 14.0, 20_000, np.random.default_rng(0))
    assert near == pytest.approx(exact_tail(ranks, 14.0), abs=0.015)


@pytest.mark.spec("C48")
def test_any_two_columns_of_rows_can_be_compared_where_both_have_a_line() -> None:
    losses = {"a": (1.0, 5.0, 2.0, 9.0), "b": (3.0, 5.0, 6.0)}
    rows = [row(method=m, fold=f, loss=loss) for m, column in losses.items() for f, loss in enumerate(column)]
    found = compared_rows(rows, "method", "a", "b", same=("fold",))
    assert (found.win, found.tie, found.lose, found.n) == (2, 1, 0, 2)
    assert (found.W, found.p) == (-3.0, 0.25)
    assert str(found) == "2/1/0 win/tie/lose, W = -3, one-tail p = 0.25"


def test_equal_columns_say_nothing_and_uneven_ones_are_refused() -> None:
    same = compare_ranks([1.0, 2.0], [1.0, 2.0])
    assert (same.tie, same.n, same.W, same.p) == (2, 0, 0.0, 1.0)
    with pytest.raises(Refused, match="2 and 1 lines"):
        compare_ranks([1.0, 2.0], [1.0])
    with pytest.raises(Refused, match="line 1 has no number"):
        compare_ranks([1.0, float("nan")], [1.0, 2.0])
