"""The working-set programs: right by hand and by an independent solver, and never surer than they may be.

Gaps are computed again here from alpha alone, with exact products and sums.
"""

import math
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from explorer.engine.dual import optimality, qp
from explorer.engine.dual import pair_and_face_steps as dual_qp
from explorer.engine.dual.qp import Working
from explorer.engine.refusals import Refused
from tests import referee

REPEATABLE = settings(derandomize=True, database=None, deadline=None, max_examples=150)
PENALTIES = ("linear", "squared")


class Checked(NamedTuple):
    """What multipliers prove, and by how much the fullest group exceeds its bound."""

    primal: float
    dual: float
    gap: float
    excess: float

    @property
    def relative(self) -> float:
        return 0.0 if self.gap <= 0.0 else self.gap / max(abs(self.dual), 1e-300)


def halves(x: Any) -> tuple[Any, Any]:
    """x = high + low with at most 27 digits each, so that products of halves are exact (Veltkamp)."""
    long = 134217729.0 * x
    high = long - (long - x)
    return high, x - high


def exact_pull(program: Working, alpha: Any) -> Any:
    """b - G alpha, rounded once: all products are exact and fsum adds without error."""
    pairs = product(halves(program.gram), halves(alpha))
    terms = np.concatenate([program.b[:, None], *(-g * a for g, a in pairs)], axis=1)
    return np.array([math.fsum(row) for row in terms])


def checked(program: Working, alpha: Any) -> Checked:
    """Primal, dual and gap of soft slacks, from the definition."""
    assert np.all(alpha >= 0.0)
    b, c, pull = program.b, program.weight, exact_pull(program, alpha)
    used, xi = np.bincount(program.group, alpha, len(c)), np.zeros(len(c))
    np.maximum.at(xi, program.group, pull)
    cost, spread = (c * xi, 0.0 * c) if program.penalty == "linear" else (c * xi**2 / 2, used**2 / c / 2)
    half = math.fsum(alpha * (b - pull)) / 2
    gap = math.fsum([*cost, *spread, *(-alpha * pull)])
    excess = float(np.max(used / c)) - 1.0 if program.penalty == "linear" else 0.0
    return Checked(half + math.fsum(cost), math.fsum([*(alpha * b), -half, *-spread]), gap, excess)


def one_group(A: Any, b: Any, C: float, penalty: Any = "linear") -> Working:
    return Working(A @ A.T, b, np.zeros(len(b), dtype=np.int64), np.array([C]), penalty)


def grouped(A: Any, b: Any, C: float, groups: int, penalty: Any = "linear") -> Working:
    return Working(A @ A.T, b, np.arange(len(b)) % groups, np.full(groups, C / groups), penalty)


# One plane, by hand: H = 2, L = 1.


@pytest.mark.spec("F09")
@pytest.mark.parametrize(("C", "J"), [(0.1, 0.09), (0.25, 0.1875), (0.5, 0.25), (10.0, 0.25)])
@pytest.mark.parametrize("method", [qp.solve, referee.working_set_optimum])
def test_one_plane_gets_the_multiplier_slack_and_objective_of_the_hand_calculation(
    method: Any, C: float, J: float
) -> None:
    found = method(Working(np.array([[2.0]]), np.array([1.0]), np.array([0]), np.array([C])))
    close = 1e-12 if method is qp.solve else 1e-6
    assert found.alpha[0] == pytest.approx(min(C, 0.5), abs=close)
    assert found.slack[0] == pytest.approx(max(0.0, 1.0 - 2.0 * C), abs=2 * close)
    assert found.dual == pytest.approx(J, abs=close)
    assert found.primal == pytest.approx(J, abs=10 * close)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_one_plane_with_a_squared_slack_has_the_closed_form(C: float) -> None:
    # max a - a^2 (H + 1/C) / 2 with H = 2:  a = 1 / (2 + 1/C),  slack = a / C
    found = qp.solve(Working(np.array([[2.0]]), np.array([1.0]), np.array([0]), np.array([C]), "squared"))
    assert found.alpha[0] == pytest.approx(1.0 / (2.0 + 1.0 / C), rel=1e-12)
    assert found.slack[0] == pytest.approx(found.alpha[0] / C, rel=1e-12)
    assert found.dual == pytest.approx(0.5 / (2.0 + 1.0 / C), rel=1e-12)


def slack_of(H: float, loss: float, C: float) -> float:
    return float(qp.solve(Working(np.array([[H]]), np.array([loss]), np.array([0]), np.array([C]))).slack[0])


@pytest.mark.spec("D34")
def test_a_dominating_constraint_keeps_its_slack_until_c_reaches_a_quarter_of_a_million() -> None:
    # Psi = psi / N^2, N = 10, |psi|^2 = 4, loss 100: H = 4 / 10^4; slack scaling multiplies Psi by the loss.
    H, loss = 4.0 / 10**4, 100.0
    for C in (1e2, 1e4, 2.4e5):
        found = qp.solve(Working(np.array([[H]]), np.array([loss]), np.array([0]), np.array([C])))
        beta = found.alpha[0] / 100.0  # w = alpha Psi = (alpha / 100) psi
        assert beta == pytest.approx(C / 100.0, rel=1e-4)
        assert found.slack[0] == pytest.approx(100.0 - 4.0 * C / 10**4, rel=1e-4)
    assert slack_of(H, loss, 249_990.0) > 1e-3
    assert slack_of(H, loss, 250_010.0) < 1e-9
    assert slack_of(H * loss**2, loss, 24.99) > 1e-2
    assert slack_of(H * loss**2, loss, 25.01) < 1e-9


# Against the independent solver.


def random_program(seed: int) -> Working:
    rng = np.random.default_rng(seed)
    planes, dim, groups = int(rng.integers(1, 20)), int(rng.integers(1, 8)), int(rng.integers(1, 6))
    A, b = rng.normal(size=(planes, dim)), rng.uniform(0.0, 2.0, planes)
    weight = 10.0 ** rng.uniform(-2.0, 2.0, groups)
    return Working(A @ A.T, b, rng.integers(0, groups, planes), weight, PENALTIES[seed % 2])


@pytest.mark.spec("F09")
def test_two_back_ends_agree_on_fifty_random_programs() -> None:
    for seed in range(50):
        program = random_program(seed)
        ours, theirs = qp.solve(program), referee.working_set_optimum(program)
        assert ours.reached
        scale = max(1.0, abs(theirs.dual))
        assert abs(ours.dual - theirs.dual) < 1e-6 * scale, seed
        assert abs(ours.primal - theirs.primal) < 1e-6 * scale, seed
        w2 = (ours.alpha - theirs.alpha) @ program.gram @ (ours.alpha - theirs.alpha)
        assert np.sqrt(max(0.0, w2)) < 1e-3 * np.sqrt(scale), "w is unique even where alpha is not"


# The optimality conditions.


@pytest.mark.spec("F10")
def test_all_residuals_vanish_at_the_optimum() -> None:
    for seed in range(40):
        program = random_program(seed)
        assert optimality.residuals(program, qp.solve(program).alpha).worst < 1e-6, seed


def kkt_program() -> Working:
    rng = np.random.default_rng(7)
    return grouped(rng.normal(size=(9, 3)), rng.uniform(0.5, 1.5, 9), 30.0, 3)


@pytest.mark.spec("F10")
def test_more_mass_than_the_price_of_a_slack_lights_up_stationarity() -> None:
    program = kkt_program()
    found = qp.solve(program)
    full = int(np.argmax(np.bincount(program.group, found.alpha, 3)))
    alpha = np.where(program.group == full, found.alpha * 1.5, found.alpha)
    # S_g = 1.5 c_g asks for a multiplier of slack >= 0 of -c_g / 2: half the price
    assert optimality.residuals(program, found.alpha).stationarity < 1e-6
    assert optimality.residuals(program, alpha).stationarity == pytest.approx(0.5, abs=0.01)


@pytest.mark.spec("F10")
def test_mass_on_a_plane_that_is_not_tight_lights_up_complementarity() -> None:
    program = kkt_program()
    found = qp.solve(program)
    pull = program.b - program.gram @ found.alpha
    loose = int(np.argmin(pull - found.slack[program.group]))
    giver = int(np.argmax(np.where(program.group == program.group[loose], found.alpha, -1.0)))
    alpha = found.alpha.copy()
    alpha[loose], alpha[giver] = alpha[loose] + 0.1 * alpha[giver], 0.9 * alpha[giver]
    assert optimality.residuals(program, found.alpha).complementarity < 1e-6
    assert optimality.residuals(program, alpha, found.slack).complementarity > 1e-3


@pytest.mark.spec("F10")
def test_negative_mass_and_too_small_slacks_are_seen() -> None:
    program = kkt_program()
    found = qp.solve(program)
    alpha = found.alpha.copy()
    alpha[int(np.argmax(alpha))] *= -1.0
    assert optimality.residuals(program, alpha).dual_feasibility > 1e-3
    assert optimality.residuals(program, found.alpha, 0.5 * found.slack).primal_feasibility > 1e-3


# Degenerate and extreme programs: the answer may say "not reached", but never a false "reached".


def degenerate(kind: str, seed: int) -> tuple[Any, Any]:
    """Thirty planes in eight dimensions and twenty more that make trouble."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(30, 8)), rng.uniform(0.0, 1.0, 30)
    again = rng.integers(30, size=20)
    more, right = {
        "duplicates": (A[again], b[again]),
        "near duplicates": (
            A[again] + 1e-9 * rng.normal(size=(20, 8)),
            b[again] + 1e-9 * rng.normal(size=20),
        ),
        "zero planes": (np.zeros((20, 8)), rng.uniform(0.0, 1.0, 20)),
        "zero losses": (rng.normal(size=(20, 8)), np.zeros(20)),
        "low rank": (A[again], b[again]),
    }[kind]
    if kind == "low rank":
        A, more = A[:, :2] @ rng.normal(size=(2, 8)), more[:, :2] @ rng.normal(size=(2, 8))
    return np.vstack([A, more]), np.concatenate([b, right])


KINDS = ("duplicates", "near duplicates", "zero planes", "zero losses", "low rank")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("groups", [1, 5])
def test_no_degenerate_or_extreme_program_is_called_solved_when_it_is_not(
    kind: str, penalty: Any, groups: int
) -> None:
    for C, scale, seed in product((1e-6, 1e-3, 1.0, 1e3, 1e6), (1e-4, 1e-2, 1.0, 1e2, 1e4), (0, 1)):
        A, b = degenerate(kind, seed)
        program = grouped(scale * A, b, C, groups, penalty)
        for tolerance in (1e-6, 1e-10):
            found = qp.solve(program, tolerance=tolerance)
            truth = checked(program, found.alpha)
            place = (C, scale, seed, tolerance)
            assert truth.excess < 1e-9, place
            assert found.gap == pytest.approx(truth.gap, rel=0.02, abs=1e-13 * abs(truth.dual)), place
            assert found.dual == pytest.approx(truth.dual, rel=1e-12), place
            assert not (found.reached and truth.relative > 1.05 * tolerance), place
            assert found.reached or C * scale**2 >= 1e9 or tolerance < 1e-6, place


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("apart", [0.0, 1e-9])
def test_a_thousand_duplicates_change_nothing(penalty: Any, apart: float) -> None:
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(30, 8)), rng.uniform(0.0, 1.0, 30)
    again = rng.integers(30, size=1000)
    noise = apart * rng.normal(size=(1000, 8))
    alone = qp.solve(one_group(A, b, 10.0, penalty))
    crowd = one_group(np.vstack([A, A[again] + noise]), np.concatenate([b, b[again]]), 10.0, penalty)
    found = qp.solve(crowd)
    assert found.reached
    assert checked(crowd, found.alpha).relative < 1e-9
    assert found.dual == pytest.approx(alone.dual, rel=1e-9 if apart == 0.0 else 1e-7)


def test_a_thousand_copies_of_one_plane_are_one_plane() -> None:
    found = qp.solve(one_group(np.ones((1000, 2)), np.ones(1000), 10.0))
    assert found.reached
    assert found.dual == pytest.approx(0.25, rel=1e-12)  # |a|^2 = 2, b = 1: alpha = 1/2
    assert found.alpha.sum() == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_hundreds_of_slacks_at_a_large_price_are_solved(penalty: Any) -> None:
    rng = np.random.default_rng(1)
    program = grouped(rng.normal(size=(300, 20)), rng.uniform(0.0, 1.0, 300), 1e4, 100, penalty)
    found = qp.solve(program, tolerance=1e-8)
    assert found.reached
    assert checked(program, found.alpha).relative < 1.1e-8


def test_more_planes_in_use_than_a_face_may_have_are_solved_too() -> None:
    rng = np.random.default_rng(1)
    program = grouped(rng.normal(size=(520, 20)), rng.uniform(0.0, 1.0, 520), 1e3, 260)
    found = qp.solve(program, tolerance=1e-8)
    assert np.count_nonzero(found.alpha) > qp.FACE_LIMIT
    assert found.reached
    assert checked(program, found.alpha).relative < 1.1e-8


@pytest.mark.parametrize("penalty", PENALTIES)
def test_planes_without_features_leave_w_at_zero_and_slack_at_the_largest_loss(penalty: Any) -> None:
    found = qp.solve(one_group(np.zeros((3, 4)), np.array([0.2, 0.7, 0.5]), 2.0, penalty))
    assert found.reached
    assert found.slack[0] == pytest.approx(0.7, rel=1e-12)
    assert found.dual == pytest.approx(1.4 if penalty == "linear" else 0.49, rel=1e-9)


@pytest.mark.parametrize("b", [np.zeros(3), -np.ones(3)])
def test_planes_that_ask_for_nothing_get_nothing(b: Any) -> None:
    found = qp.solve(one_group(np.eye(3), b, 2.0))
    assert (found.reached, found.dual, found.gap) == (True, 0.0, 0.0)
    assert np.array_equal(found.alpha, np.zeros(3))


def test_an_empty_working_set_costs_nothing() -> None:
    found = qp.solve(Working(np.zeros((0, 0)), np.zeros(0), np.zeros(0, dtype=np.int64), np.ones(2)))
    assert (found.reached, found.primal, found.dual) == (True, 0.0, 0.0)


# Starts.


def test_any_start_ends_at_the_same_optimum() -> None:
    rng = np.random.default_rng(3)
    for seed in range(20):
        program = random_program(seed)
        cold = qp.solve(program)
        start = 10.0 ** rng.uniform(-3, 3) * rng.uniform(0.0, 1.0, len(program.b))
        warm = qp.solve(program, start)
        assert warm.reached
        assert warm.dual == pytest.approx(cold.dual, rel=1e-8), seed


def test_a_start_with_too_much_mass_is_shrunk_and_never_changed_in_place() -> None:
    program = kkt_program()
    start = np.full(9, 1e6)
    kept = start.copy()
    assert checked(program, qp.feasible(program, start)).excess < 1e-12
    qp.solve(program, start)
    assert np.array_equal(start, kept)


def test_the_same_program_gives_the_same_bits() -> None:
    for seed in range(10):
        first, second = qp.solve(random_program(seed)), qp.solve(random_program(seed))
        assert np.array_equal(first.alpha, second.alpha)


# Hard constraints.


def test_a_hard_margin_is_that_of_two_points() -> None:
    # Points (1, 0) and (-1, 0) of two classes: y x = (1, 0) twice, so w = (1, 0) and alpha sums to 1.
    A = np.array([[1.0, 0.0], [1.0, 0.0]])
    found = qp.solve(Working(A @ A.T, np.ones(2), np.array([0, 1]), np.full(2, np.inf)))
    assert found.reached
    assert found.alpha @ A == pytest.approx([1.0, 0.0], abs=1e-9)
    assert found.dual == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(
    "A",
    [np.zeros((1, 2)), np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[1.0, 0.0], [-1e4, 0.0]])],
    ids=["no features", "opposite", "opposite and unequal"],
)
@pytest.mark.parametrize("soft", [False, True], ids=["alone", "beside soft slacks"])
def test_contradicting_hard_constraints_are_refused(A: Any, penalty: Any, soft: bool) -> None:
    rows = np.vstack([A, np.eye(2)]) if soft else A
    group = np.array([0] * len(A) + [1, 1] * soft)
    weight = np.array([np.inf, 1e3]) if soft else np.array([np.inf])
    with pytest.raises(Refused, match="choose a finite C"):
        qp.solve(Working(rows @ rows.T, np.ones(len(rows)), group, weight, penalty))


@pytest.mark.parametrize("slacks", ["one group", "a group each"])
def test_hard_constraints_are_refused_exactly_when_a_linear_program_says_so(slacks: str) -> None:
    refused = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(int(rng.integers(2, 12)), 3))
        b = np.ones(len(A))
        feasible = linprog(np.zeros(3), A_ub=-A, b_ub=-b, bounds=[(None, None)] * 3).status == 0
        program = grouped(A, b, np.inf, 1 if slacks == "one group" else len(A))
        if feasible:
            found = qp.solve(program)
            assert found.reached, seed
            assert np.min(A @ (found.alpha @ A)) > 1.0 - 1e-7, seed
            assert found.dual == pytest.approx(0.5 * np.sum((found.alpha @ A) ** 2), rel=1e-8), seed
        else:
            refused += 1
            with pytest.raises(Refused):
                qp.solve(program)
    assert 25 < refused < 75


# Numbers that have no answer.


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_with_their_plane(value: float) -> None:
    gram, b = np.eye(3), np.ones(3)
    spoiled = gram.copy()
    spoiled[1, 1] = value
    group, weight = np.zeros(3, dtype=np.int64), np.ones(1)
    with pytest.raises(Refused, match="plane 1 holds a NaN or infinite number"):
        qp.solve(Working(spoiled, b, group, weight))
    with pytest.raises(Refused, match="plane 2 holds a NaN or infinite number"):
        qp.solve(Working(gram, np.array([1.0, 1.0, value]), group, weight))


@pytest.mark.parametrize("price", [0.0, -1.0, np.nan])
def test_a_slack_needs_a_positive_price(price: float) -> None:
    with pytest.raises(Refused, match="choose C > 0"):
        qp.solve(Working(np.eye(1), np.ones(1), np.array([0]), np.array([price])))


def test_the_pulse_can_interrupt_a_solve() -> None:
    class Stop(Exception):
        pass

    def pulse() -> None:
        raise Stop

    with pytest.raises(Stop):
        qp.solve(kkt_program(), pulse=pulse)


# Whatever comes.


@st.composite
def programs(draw: Any) -> Working:
    planes, dim, groups = draw(st.integers(1, 8)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    entry = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.5, 1.0, 3.0])
    A = np.array(
        draw(st.lists(st.lists(entry, min_size=dim, max_size=dim), min_size=planes, max_size=planes))
    )
    b = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=planes, max_size=planes)))
    group = np.array(draw(st.lists(st.integers(0, groups - 1), min_size=planes, max_size=planes)))
    weight = np.array(draw(st.lists(st.sampled_from([1e-3, 1.0, 1e4]), min_size=groups, max_size=groups)))
    return Working(A @ A.T, b, group, weight, draw(st.sampled_from(PENALTIES)))


@REPEATABLE
@given(programs())
def test_every_small_program_with_ties_is_solved_and_its_certificate_holds(program: Working) -> None:
    found = qp.solve(program)
    truth = checked(program, found.alpha)
    assert found.reached
    assert truth.excess < 1e-12
    assert truth.relative <= 1.05e-10
    assert -1e-12 * max(1.0, abs(truth.dual)) <= truth.gap
    assert found.primal == pytest.approx(truth.primal, rel=1e-9, abs=1e-12)


@REPEATABLE
@given(programs(), st.sampled_from([0.5, 3.0, 1e3]))
def test_scaling_features_and_prices_together_scales_the_answer(program: Working, s: float) -> None:
    # a -> s a and c -> c / s^2 leave every slack as it is and divide objective and multipliers by s^2.
    scaled = Working(s**2 * program.gram, program.b, program.group, program.weight / s**2, program.penalty)
    first, second = qp.solve(program), qp.solve(scaled)
    assert second.dual * s**2 == pytest.approx(first.dual, rel=1e-8, abs=1e-12)


@REPEATABLE
@given(programs(), st.integers(0, 7))
def test_one_more_plane_never_lowers_the_optimum(program: Working, which: int) -> None:
    j = which % len(program.b)
    keep = np.array([p for p in range(len(program.b)) if p != j], dtype=np.int64)
    fewer = Working(
        program.gram[np.ix_(keep, keep)],
        program.b[keep],
        program.group[keep],
        program.weight,
        program.penalty,
    )
    assert qp.solve(fewer).dual <= qp.solve(program).dual * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_one_slack_without_a_price_among_others_is_refused(bad: float) -> None:
    two = Working(np.eye(2), np.ones(2), np.arange(2), np.array([1.0, bad]))
    with pytest.raises(Refused, match="positive price"):
        qp.solve(two)


def test_residuals_of_constraints_without_slack_vanish_at_the_optimum() -> None:
    # w >= 3 alone: alpha = 3 is no price of a slack that is not there.
    hard = Working(np.eye(1), np.array([3.0]), np.zeros(1, dtype=np.int64), np.array([math.inf]))
    found = qp.solve(hard)
    assert found.alpha == pytest.approx([3.0])
    assert optimality.residuals(hard, found.alpha).worst < 1e-9


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_too_little_mass_shows_whatever_the_size_of_the_losses(size: float) -> None:
    # One plane with a price of 1/4 and a slack: half of that mass leaves half of the price, and a gap.
    one = Working(np.array([[2.0]]), np.array([size]), np.zeros(1, dtype=np.int64), np.array([0.25 * size]))
    best = optimality.residuals(one, np.array([0.25 * size]))
    half = optimality.residuals(one, np.array([0.125 * size]))
    assert best.worst < 1e-9
    assert half.stationarity == pytest.approx(0.5)
    # Dual 1/8 - 1/64 = 7/64; primal 1/64 + 1/4 * 3/4 = 13/64, in units of size squared.
    assert half.gap == pytest.approx(6.0 / 7.0)


def test_pair_steps_leave_the_gradient_of_where_they_end() -> None:
    for seed in range(10):
        program = random_program(seed)
        alpha, cap, ridge = np.zeros(len(program.b)), program.cap, program.ridge
        grad = program.b.copy()
        steps = dual_qp.pair_steps(program.gram, program.b, program.group, cap, ridge, alpha, grad, 1e-9, 50)
        assert steps > 0
        used = program.masses(alpha)
        expected = program.b - program.gram @ alpha - (ridge * used)[program.group]
        assert grad == pytest.approx(expected, abs=1e-9 * float(np.max(np.abs(program.b))))
