"""Programs as objects, against hand calculations, enumeration and SciPy."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from explorer.engine.programs import LPX, env
from explorer.engine.programs.plane import draw_plane
from explorer.engine.programs.satisfiability import program_of, solve_sat
from explorer.engine.refusals import Refused

PRINTED = [(-1, -3, -4), (2, 3, -4), (1, -2, 4), (1, 3, 4), (-1, 2, -3)]


def two_variables() -> LPX:
    """maximize x0 + x1 s.t. 3 x0 + 4 x1 <= 12, 9 x0 + 4 x1 <= 18."""
    env.term_on = False
    lp = LPX()
    lp.obj.maximize = True
    lp.cols.add(2)
    for col in lp.cols:
        col.name = f"x{col.index}"
        col.bounds = None, None
        lp.obj[col.index] = 1.0
    lp.rows.add(2)
    for row in lp.rows:
        row.name = f"y{row.index}"
    lp.matrix = [3, 4, 9, 4]
    lp.rows[0].bounds = None, 12
    lp.rows[1].bounds = None, 18
    return lp


@pytest.mark.spec("D46")
def test_the_printed_example_has_its_optimum_and_its_duals() -> None:
    lp = two_variables()
    assert lp.simplex() is None
    assert lp.status == "opt"
    assert [col.value for col in lp.cols] == pytest.approx([1.0, 2.25])
    assert lp.obj.value == pytest.approx(3.25)
    assert [row.value for row in lp.rows] == pytest.approx([12.0, 18.0])
    assert [row.dual for row in lp.rows] == pytest.approx([5 / 24, 1 / 24])


@pytest.mark.spec("D46")
def test_rows_and_columns_are_sequences() -> None:
    lp = two_variables()
    assert (len(lp.rows), len(lp.cols)) == (2, 2)
    assert lp.cols["x1"] is lp.cols[1] is lp.cols[-1]
    assert "x1" in lp.cols
    assert "y1" not in lp.cols
    assert lp.cols["x0"].matrix == [(0, 3.0), (1, 9.0)]
    assert lp.obj["x0"] == 1.0
    assert lp.rows.add(3) == 2
    assert [row.index for row in lp.rows[-3:]] == [2, 3, 4]
    lp.rows[-1].matrix = [("x1", 2.0)]
    assert (lp.nnz, lp.rows[-1].matrix) == (5, [(1, 2.0)])
    gone = lp.rows[2]
    del lp.rows[-3:]
    assert (len(lp.rows), lp.nnz) == (2, 4)
    with pytest.raises(Refused, match="was deleted"):
        _ = gone.index
    del lp.cols["x0"]
    assert lp.matrix == [(0, 0, 4.0), (1, 0, 4.0)]
    assert [col.name for col in lp.cols] == ["x1"]
    with pytest.raises(Refused, match="no column called 'x0'"):
        _ = lp.cols["x0"]


@pytest.mark.spec("D46")
def test_bounds_are_pairs_or_one_number() -> None:
    lp = two_variables()
    row = lp.rows[0]
    for given, kept in ((1, (1.0, 1.0)), ((None, 3), (None, 3.0)), ((2, None), (2.0, None))):
        row.bounds = given
        assert row.bounds == kept
    with pytest.raises(Refused, match="turn them round"):
        row.bounds = 2, 1
    for wrong in (float("nan"), "x", (1, 2, 3)):
        with pytest.raises(Refused):
            row.bounds = wrong


@pytest.mark.spec("D46")
def test_random_programs_have_the_optimum_of_another_solver() -> None:
    rng = np.random.default_rng(0)
    ended = set()
    for _ in range(30):
        A, b, c = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=3)
        lp = LPX()
        lp.cols.add(3)
        lp.rows.add(4)
        lp.matrix = [float(a) for a in A.ravel()]
        lp.obj[:] = [float(v) for v in c]
        lp.obj[None] = 7.0
        for col in lp.cols:
            col.bounds = None, 2
        for row, end in zip(lp.rows, b, strict=True):
            row.bounds = None, float(end)
        lp.simplex()
        found = linprog(c, A, b, bounds=[(None, 2.0)] * 3, method="highs-ipm")
        ended.add(lp.status)
        assert (lp.status == "opt") == (found.status == 0)
        if found.status == 0:
            assert lp.obj.value == pytest.approx(found.fun + 7.0, abs=1e-6)
            assert [row.dual for row in lp.rows] == pytest.approx(found.ineqlin.marginals, abs=1e-6)
    assert {"opt", "unbnd"} <= ended


@pytest.mark.spec("D47")
def test_integer_columns_are_solved_after_the_relaxed_program() -> None:
    lp = two_variables()
    for col in lp.cols:
        col.kind = int
        col.bounds = 0, None
    assert lp.kind is int
    assert lp.integer() == "fault"
    assert lp.simplex() is None
    assert [col.value for col in lp.cols] == pytest.approx([1.0, 2.25])
    assert lp.integer() is None
    best = max(x + y for x, y in product(range(5), repeat=2) if 3 * x + 4 * y <= 12 and 9 * x + 4 * y <= 18)
    assert (lp.status, lp.obj.value) == ("opt", pytest.approx(best))


def is_true(formula: list[tuple[int, ...]], truth: list[bool]) -> bool:
    return all(any(truth[abs(k) - 1] == (k > 0) for k in clause) for clause in formula)


@pytest.mark.spec("D47")
def test_the_printed_formula_gets_one_of_its_eight_assignments() -> None:
    assert sum(is_true(PRINTED, list(truth)) for truth in product((False, True), repeat=4)) == 8
    found = solve_sat(PRINTED)
    assert found is not None
    assert is_true(PRINTED, found)


@pytest.mark.spec("D47")
def test_contradictions_have_none_and_the_empty_formula_the_empty_assignment() -> None:
    assert solve_sat([(-1,), (1,)]) is None
    assert solve_sat([]) == []


@pytest.mark.spec("D47")
def test_a_formula_that_only_halves_satisfy_has_no_assignment() -> None:
    formula = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
    lp = program_of(formula)
    lp.simplex()
    assert lp.status == "opt"
    assert solve_sat(formula) is None


@pytest.mark.spec("D47")
def test_random_formulas_are_answered_as_by_enumeration() -> None:
    rng = np.random.default_rng(3)
    answers = set()
    for _ in range(40):
        formula = [
            tuple(int(k) for k in rng.choice([-3, -2, -1, 1, 2, 3], size=rng.integers(1, 3)))
            for _ in range(rng.integers(2, 8))
        ]
        count = max(abs(k) for clause in formula for k in clause)
        exists = any(is_true(formula, list(truth)) for truth in product((False, True), repeat=count))
        found = solve_sat(formula)
        answers.add(exists)
        assert (found is not None) == exists
        assert found is None or is_true(formula, found)
    assert answers == {True, False}


def test_the_walk_in_the_plane_ends_at_the_optimum() -> None:
    lp = two_variables()
    lp.simplex()
    found = draw_plane(lp.model(False))
    assert found.walk[-1] == pytest.approx([1.0, 2.25])
    assert all(found.walk[:-1].sum(1) < 3.25)
    assert all((3 * x + 4 * y <= 12 + 1e-9) and (9 * x + 4 * y <= 18 + 1e-9) for x, y in found.corners)
    assert len(found.grid) == sum(
        3 * x + 4 * y <= 12 and 9 * x + 4 * y <= 18 for x, y in product(range(-1, 6), repeat=2)
    )
    lp.cols.add(1)
    with pytest.raises(Refused, match="3 columns"):
        draw_plane(lp.model(False))
