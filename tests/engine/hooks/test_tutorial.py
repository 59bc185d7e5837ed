"""The four stages of the classifier of two classes, against enumeration and an independent solver."""

from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.hooks.classifying import classify
from explorer.engine.hooks.learning import LearnerProgram, Learnt
from explorer.engine.hooks.objects import MARGIN, SLACK, Sparm, StructModel
from explorer.engine.hooks.svmapi import Document, Kernel, Sparse
from explorer.engine.hooks.vectors import LINEAR
from explorer.engine.refusals import Refused
from tests.engine.hooks.modules import TEST, TRAIN, smallest, stage


def learn(number: int, c: float = 10.0, way: int = 1, eps: float = 1e-6, kernel: Kernel = LINEAR) -> Learnt:
    sparm = Sparm(c=c, epsilon=eps, kernel=kernel)
    return LearnerProgram(stage(number), sparm, way).run(TRAIN)


@pytest.mark.spec("D40")
@pytest.mark.parametrize("scaling", [MARGIN, SLACK])
def test_the_oracle_is_the_maximum_of_both_labels_under_both_scalings(scaling: int) -> None:
    hooks, sparm = stage(1), Sparm(loss_type=scaling)
    for truth in (-1, 1):
        for score in np.linspace(-2.0, 2.0, 81):
            sm = StructModel()
            sm.w = np.array([score])
            answer = hooks.most_violated([(0, 1.0)], truth, sm, sparm)

            def height(y: int, truth: int = truth, score: float = score) -> float:
                loss, margin = float(y != truth), (truth - y) * score
                return loss * (1.0 - margin) if scaling == SLACK else loss - margin

            assert height(answer) == max(height(-1), height(1))


@pytest.mark.spec("D40")
def test_the_first_stage_ends_at_the_optimum_of_an_independent_solver() -> None:
    found = learn(1)
    X, y = as_matrix(found)
    w = cp.Variable(X.shape[1])
    # psi is y x: the margin between truth and the other label is 2 y w . x, and the loss is 1.
    hinge = cp.sum(cp.pos(1.0 - 2.0 * cp.multiply(y, X @ w))) / len(y)
    program = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2.0 + 10.0 * hinge))
    program.solve(solver=cp.CLARABEL)
    assert found.steps[-1].bounds.primal == pytest.approx(program.value, rel=1e-6)
    assert found.sm.w == pytest.approx(w.value, abs=1e-3)


def as_matrix(found: Learnt) -> tuple[np.ndarray, np.ndarray]:
    X = np.zeros((len(found.sample), found.sm.size_psi))
    for row, (x, _) in zip(X, found.sample, strict=True):
        for k, v in x:
            row[k] = v
    return X, np.array([y for _, y in found.sample])


@pytest.mark.spec("D40", "D45")
def test_the_second_stage_says_its_loss_precision_and_recall(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hooks, model = stage(2), tmp_path / "model"
    trained = LearnerProgram(hooks, Sparm(c=1.0, epsilon=1e-3), 1).run(TRAIN, model)
    found = classify(hooks, TEST, model)
    truths = [y for _, y in hooks.call("read_examples", TEST, Sparm())]
    pairs = list(zip(truths, found.predictions, strict=True))
    right, missed, wrong = (pairs.count(pair) for pair in ((1, 1), (1, -1), (-1, 1)))
    on_train = classify(hooks, TRAIN, model).mean_loss
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"Average loss on train set is {on_train}"
    assert out[1:3] == [
        f"Recall is {right / (right + missed):g}",
        f"Precision is {right / (right + wrong):g}",
    ]
    assert found.written == "".join("+" if y == 1 else "-" for y in found.predictions)
    assert set(found.written) == {"+", "-"}
    assert len(found.written) == len(truths)
    assert len(trained.sample) == 80


@pytest.mark.spec("D45")
def test_precision_and_recall_are_1_where_there_is_nothing_to_divide_by(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage(2).call("print_testing_stats", [], None, None, (0, 0, 0))
    assert capsys.readouterr().out == "Recall is 1\nPrecision is 1\n"


@pytest.mark.spec("D41")
def test_constraints_of_its_own_keep_the_weights_of_the_third_stage_positive(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found, bare = learn(3, c=1e3, eps=1e-8), learn(1, c=1e3)
    assert min(bare.sm.w[1:]) < -0.1
    X, y = as_matrix(found)
    w, xi, own = cp.Variable(X.shape[1]), cp.Variable(len(y), nonneg=True), cp.Variable(nonneg=True)
    rules = [2.0 * cp.multiply(y, X @ w) >= 1.0 - xi, 100.0 * w[1:] >= 1.0 - own]
    paid = 1e3 / len(y) * (cp.sum(xi) + own)
    cp.Problem(cp.Minimize(cp.sum_squares(w) / 2.0 + paid), rules).solve(solver=cp.CLARABEL)
    assert found.sm.w == pytest.approx(w.value, abs=2e-3)
    shared = max(0.0, float(np.max(1.0 - 100.0 * found.sm.w[1:])))
    assert min(found.sm.w[1:]) >= (1.0 - shared) / 100.0 - 1e-6
    assert min(found.sm.w[1:]) > 0.0
    assert capsys.readouterr().out.startswith("Range of sm.w: 0.0")


@pytest.mark.spec("D41")
def test_a_constraint_may_not_take_the_slack_of_an_example() -> None:
    mine = [(Document([Sparse([(0, 1.0)])], slackid=3), 1.0)]
    hooks = smallest(init_constraints=lambda sample, sm, sparm: mine)
    with pytest.raises(Refused, match="slackid 3, which is an example's; give 4 or more"):
        LearnerProgram(hooks).run("train")


@pytest.mark.spec("D40")
@pytest.mark.parametrize(("way", "c"), [(1, 10.0), (2, 0.5)])
def test_the_kernel_stage_agrees_with_the_linear_one(way: int, c: float) -> None:
    """(s a.b + r)^d with d = s = 1 and r = 0 is a.b, but takes the way of all other kernels."""
    plain = learn(1, c, way, 1e-5)
    stored = learn(4, c, way, 1e-5)
    kernel = learn(4, c, way, 1e-5, kernel=Kernel("polynomial", d=1, r=0.0))
    assert stored.sm.w == pytest.approx(plain.sm.w, abs=1e-6)
    for x, _ in plain.sample:
        score = sum(plain.sm.w[k] * v for k, v in x)
        assert kernel.sm.svm_model.classify(Sparse(x)) == pytest.approx(score, abs=1e-6)


@pytest.mark.spec("D40")
def test_a_curved_kernel_ends_at_the_optimum_of_an_independent_solver() -> None:
    found = learn(4, c=10.0, kernel=Kernel("rbf", g=0.5))
    X, y = as_matrix(found)
    gram = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(2))
    a = cp.Variable(len(y))
    ends = [a >= 0, a <= 10.0 / len(y)]
    spread = cp.quad_form(2.0 * cp.multiply(a, y), cp.psd_wrap(gram))
    dual = cp.Problem(cp.Maximize(cp.sum(a) - spread / 2.0), ends)
    dual.solve(solver=cp.CLARABEL)
    assert found.steps[-1].bounds.dual == pytest.approx(dual.value, rel=1e-6)
    assert found.steps[-1].bounds.primal == pytest.approx(dual.value, rel=1e-5)
