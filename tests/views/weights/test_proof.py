"""The perceptron's proof, drawn: both inequalities at every update, the promised end, and words where the
theorem is silent.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Learner, Problem
from explorer.engine.events import Started, Step
from explorer.engine.learners import BinaryPerceptron, Perceptron
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.theory import bounds as theory
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.kit.memory import Memory
from explorer.views.weights import proof_frame as numbers
from explorer.views.weights import view as weights
from tests.engine.learners.toys import circle_toy, line_toy, noisy

GAUSSIANS = Recipe(task="two-gaussians")


def run(problem: Problem, learner: Learner) -> Trace:
    trace = Trace()
    for event in train(problem, learner, rule=Until(relative_gap=0.0)):
        trace.append(event)
    return trace


def shown_of(problem: Problem, learner: Learner) -> tuple[Trace, numbers.ProofFrame]:
    trace = run(problem, learner)
    shown = numbers.frame(problem, trace, len(trace) - 1)
    assert shown
    return trace, shown


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="circle", learner="perceptron", settings={"every": "update"}))
    s.show_finished()
    yield s
    s.close()


@pytest.mark.spec("A10", "A11")
def test_the_line_toy_ends_after_one_of_at_most_six_and_a_quarter_updates() -> None:
    # x = -10, -4 | 6, 5: psi = (y x, -y x) in some order, R = 10 sqrt(2), delta = 4 sqrt(2), w = psi of x =
    # -10.
    _, shown = shown_of(line_toy(), Perceptron(every="update"))
    assert shown.k.tolist() == [1.0]
    assert shown.sizes.end == pytest.approx(6.25)
    assert shown.along.tolist() == pytest.approx([10 * np.sqrt(2)])
    assert shown.norm2.tolist() == pytest.approx([200.0])
    assert float(shown.sizes.R) == pytest.approx(10 * np.sqrt(2))
    assert shown.sizes.delta == pytest.approx(4 * np.sqrt(2))
    told = numbers.sentence(shown)
    assert "k = 1 update: ŵ·w = 14.14 ≥ kδ = 5.657, |w|² = 200 ≤ kR² = 200." in told
    assert "At most (R/δ)² = 6.25 updates. Nothing enters the shaded part." in told


@pytest.mark.spec("A11")
@pytest.mark.parametrize("seed", range(4))
def test_every_update_keeps_both_inequalities(seed: int) -> None:
    problem = noisy(20, 3, seed, noise=0.0)
    trace, shown = shown_of(problem, Perceptron(every="update"))
    found = theory.separator(problem)
    assert found
    updates = trace.column("updates")
    assert shown.k.tolist() == np.unique(updates).tolist()
    for k, along, norm2, cosine in zip(shown.k, shown.along, shown.norm2, shown.cosine, strict=True):
        w = trace.weights.kept[int(np.flatnonzero(updates == k)[0])]
        assert along == pytest.approx(found.w_hat @ w)
        assert norm2 == pytest.approx(w @ w)
        assert along >= k * found.delta - 1e-9
        assert norm2 <= k * found.R**2 + 1e-9
        assert np.sqrt(k) * found.delta / found.R - 1e-9 <= cosine <= 1.0 + 1e-9
    assert shown.k[-1] <= shown.sizes.end
    assert shown.broken == 0


def test_a_point_on_the_wrong_side_is_counted_and_told() -> None:
    _, shown = shown_of(circle_toy(), Perceptron(every="update"))
    assert shown.broken == 0
    long = shown.norm2.copy()
    long[3] = shown.k[3] * shown.sizes.R**2 * 1.01
    low = shown.along.copy()
    low[5] = shown.k[5] * shown.sizes.delta * 0.99
    wrong = replace(shown, norm2=long, along=low)
    assert wrong.broken == 2
    assert f"Broken at 2 of {len(shown.k)} points" in numbers.sentence(wrong)


def test_the_theorem_is_held_against_the_newest_weights_of_an_averaged_run() -> None:
    plain, averaged = (shown_of(circle_toy(), Perceptron(averaged=mean))[1] for mean in (False, True))
    assert averaged.k.tolist() == plain.k.tolist()
    assert averaged.along == pytest.approx(plain.along)
    assert averaged.norm2 == pytest.approx(plain.norm2)
    assert averaged.sizes.end == pytest.approx(plain.sizes.end)


def test_an_averaged_run_without_its_newest_weights_is_not_drawn() -> None:
    problem, bare = circle_toy(), Trace()
    for event in train(problem, Perceptron(averaged=True)):
        bare.append(replace(event, state={}) if isinstance(event, Step) else event)
    shown = numbers.frame(problem, bare, 3)
    assert shown
    assert len(shown.k) == 0
    assert "Only the mean of the weights was recorded" in numbers.sentence(shown)


@pytest.mark.parametrize("eta", [1.0, 0.25, 8.0])
def test_updates_of_another_length_are_measured_in_that_length(eta: float) -> None:
    problem, _ = GAUSSIANS.problem()
    trace, shown = shown_of(problem, BinaryPerceptron(eta=eta))
    once = shown_of(problem, BinaryPerceptron())[1]
    last = trace.at(-1).w
    assert shown.norm2[-1] == pytest.approx(last @ last / eta**2)
    assert shown.norm2 == pytest.approx(once.norm2)
    assert shown.along == pytest.approx(once.along)
    assert shown.broken == 0


def test_a_random_start_and_a_changed_length_are_outside_the_theorem() -> None:
    problem, _ = GAUSSIANS.problem()
    _, shown = shown_of(problem, BinaryPerceptron(init="random"))
    assert len(shown.k) == 0
    assert "started at random: choose init = zero" in numbers.sentence(shown)
    trace = run(problem, BinaryPerceptron())
    trace.append(
        Started("p", "BinaryPerceptron", problem.n, problem.dim, 0, True, {"eta": 2.0, "init": "zero"})
    )
    changed = numbers.frame(problem, trace, len(trace) - 1)
    assert changed
    assert "eta was changed on the way" in numbers.sentence(changed)


def test_data_that_no_w_separates_have_a_length_but_no_end() -> None:
    problem, _ = Recipe(task="animals").problem()
    _, shown = shown_of(problem, Perceptron(passes=5))
    assert np.isnan(shown.sizes.delta)
    psi = [
        problem.features(i, problem.dataset.labels[i]) - problem.features(i, y)
        for i in range(problem.n)
        for y in range(4)
    ]
    assert float(shown.sizes.R) == pytest.approx(max(np.linalg.norm(p) for p in psi))
    assert np.all(shown.norm2 <= shown.k * shown.sizes.R**2)
    told = numbers.sentence(shown)
    assert "No w separates these data" in told
    assert "At most" not in told


def test_data_too_large_to_list_are_told_from_those_that_nothing_separates() -> None:
    problem, _ = Recipe(task="blocks", data={"n": 4, "n_test": 1, "length": 30}).problem()
    _, shown = shown_of(problem, Perceptron(passes=3))
    assert np.isnan(shown.sizes.R)
    told = numbers.sentence(shown)
    assert "too many labellings" in told
    assert "No w separates" not in told


@pytest.mark.parametrize("task", ["four-points", "circle", "two-gaussians", "micro-trees"])
def test_the_tasks_that_are_recommended_work(task: str) -> None:
    assert task in numbers.WORKS
    sizes = numbers.sizes_of(Recipe(task=task).problem()[0])
    assert sizes.why == ""
    assert sizes.end >= 1.0


def test_the_labellings_are_listed_once_per_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, calls = circle_toy(), []
    trace = run(problem, Perceptron(averaged=True))
    listed = numbers.sizes_of
    monkeypatch.setattr(numbers, "sizes_of", lambda p: calls.append(p) or listed(p))
    memory = Memory(1)
    for at in (0, 3, 5):
        assert numbers.frame(problem, trace, at, memory)
    assert len(calls) == 1
    numbers.frame(circle_toy(), trace, 0, memory)
    assert len(calls) == 2


def test_what_training_recorded_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = circle_toy()
    trace = run(problem, Perceptron())
    monkeypatch.setattr(numbers, "sizes_of", lambda p: pytest.fail("listed again"))
    shown = numbers.frame(problem, trace, 3)
    assert shown
    assert shown.sizes.end == pytest.approx(trace.column("bound")[3])


def test_many_steps_are_thinned_with_the_cursor_kept_and_the_trace_left_alone() -> None:
    trace = Trace()
    trace.append(Started("p", "Perceptron", 3, 2, 0, True, {"every": "update"}))
    for k in range(1, 5001):
        told = {"updates": k, "norm2": 1.5 * k, "along": 1.0 * k, "R": 2.0, "delta": 0.5, "bound": 16.0}
        trace.append(Step(k, np.ones(2), detail=told))
    before = trace.column("norm2").copy()
    shown = numbers.frame(circle_toy(), trace, 3210)
    assert shown
    assert len(shown.k) <= numbers.MOST_POINTS + 1
    assert (shown.k[0], shown.k[-1], shown.k[shown.now]) == (1.0, 5000.0, 3211.0)
    assert shown.along.tolist() == shown.k.tolist()
    assert np.array_equal(trace.column("norm2"), before)
    assert len(trace) == 5000


def test_without_a_mistake_there_is_no_point() -> None:
    trace = Trace()
    trace.append(Started("p", "Perceptron", 3, 2, 0, True, {"every": "pass"}))
    told = {"updates": 0, "norm2": 0.0, "along": 0.0, "R": 2.0, "delta": 0.5, "bound": 16.0}
    trace.append(Step(0, np.zeros(2), detail=told))
    shown = numbers.frame(circle_toy(), trace, 0)
    assert shown
    assert len(shown.k) == 0
    assert "no mistake yet" in numbers.sentence(shown)
    assert numbers.frame(circle_toy(), Trace(), 0) is None


def test_the_view_marks_the_updates_of_the_step_under_the_cursor(session: Session) -> None:
    view = weights.Weights(session, part="proof")
    proof = view.proof
    assert proof is not None
    updates = session.trace.column("updates")
    for at in (4, 30):
        session.seek(at)
        assert all(timeline.cursor.location == updates[at] for timeline in proof.timelines)
        assert list(proof.now.data["k"]) == [updates[at]]
        assert proof.step_at(updates[at] * 1.01, 0.0) == at
    end = session.trace.column("bound")[0]
    assert all(span.location == pytest.approx(end) for span in proof.ends.values())
    for name, sign in (("along", 1), ("norm2", -1), ("cosine", 1)):
        data, bound = proof.source.data, proof.bound[name].data
        edge = np.exp(np.interp(np.log(data["k"]), np.log(bound["k"]), np.log(bound["edge"])))
        assert np.all(sign * (np.asarray(data[name]) - edge) >= -1e-9)
        assert np.all(sign * (np.asarray(bound["edge"]) - bound["side"]) >= 0)
    edge = proof.bound["cosine"].data
    assert np.interp(np.log(end), np.log(edge["k"]), edge["edge"]) == pytest.approx(1.0, rel=1e-3)


def test_the_proof_wears_every_theme_and_is_emptied_by_a_reset(session: Session) -> None:
    view = weights.Weights(session, part="proof", table_open=True)
    assert view.proof is not None
    assert "k R²" in view.data.object
    for theme in THEMES.values():
        view.theme = theme
        for _, edge, line, *_ in view.proof.glyphs.values():
            assert (edge.glyph.line_color, line.glyph.line_color) == (theme.dual, theme.primal)
        assert {plot.background_fill_color for plot in view.proof.plots.values()} == {theme.background}
    session.reset()
    assert view.part == "proof"
    assert len(view.proof.source.data["k"]) == 0
    assert all(span.location is None for span in view.proof.ends.values())
    assert "Nothing trained yet" in view.words.object


def test_without_a_separator_only_the_length_is_drawn() -> None:
    session = Session(Recipe(task="animals", learner="perceptron", settings={"passes": 5}))
    session.show_finished()
    view = weights.Weights(session, part="proof")
    assert view.proof is not None
    assert [name for name, plot in view.proof.plots.items() if plot.visible] == ["norm2"]
    view.part = "weights"
    assert not any(plot.visible for plot in view.proof.plots.values())
    session.close()


def test_a_run_outside_the_theorem_leaves_its_bounds_alone() -> None:
    session = Session(Recipe(task="two-gaussians", learner="binary-perceptron", settings={"init": "random"}))
    session.show_finished()
    view = weights.Weights(session, part="proof")
    assert view.proof is not None
    assert all(plot.visible for plot in view.proof.plots.values())
    assert len(view.proof.source.data["k"]) == 0
    found = theory.separator(session.problem)
    assert found
    bound = view.proof.bound["norm2"].data
    assert np.asarray(bound["edge"]) == pytest.approx(np.asarray(bound["k"]) * found.R**2)
    assert "choose init = zero. Only its bounds are drawn." in view.words.object
    session.close()


def test_data_too_large_to_list_have_a_curve_without_a_bound() -> None:
    data = {"n": 5, "n_test": 1, "length": 30}
    session = Session(Recipe(task="blocks", learner="perceptron", data=data, settings={"passes": 3}))
    session.show_finished()
    view = weights.Weights(session, part="proof")
    assert view.proof is not None
    assert [name for name, plot in view.proof.plots.items() if plot.visible] == ["norm2"]
    assert list(view.proof.source.data["norm2"]) == pytest.approx(session.trace.column("norm2").tolist())
    assert np.all(np.isnan(view.proof.bound["norm2"].data["edge"]))
    assert view.proof.plots["norm2"].title.text == "|w|²"
    session.close()


def test_the_proof_is_about_perceptrons() -> None:
    assert numbers.fits("Perceptron")
    assert numbers.fits("BinaryPerceptron")
    assert not numbers.fits("MIRA")
    assert not numbers.fits("OneSlack")
