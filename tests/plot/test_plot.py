"""Elements of HoloViews made of runs: their numbers are the trace's own, and both libraries draw them."""

from pathlib import Path
from typing import Any

import holoviews as hv
import numpy as np
import pytest

import explorer
from explorer import plot
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.refusals import Refused
from explorer.engine.runs.path import path
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.views.kit.words.label_words import state_names
from explorer.views.similarity.frame import frame

SMALL: dict[str, dict[str, Any]] = {
    "blocks": {"data": {"n": 6}},
    "clubs": {"data": {"n": 3}},
    "marbles": {},
}


@pytest.fixture(scope="module")
def runs() -> dict[str, tuple[Any, Trace]]:
    return {task: run_of(task, **choices) for task, choices in SMALL.items()}


def run_of(task: str, steps: int = 4, **choices: Any) -> tuple[Any, Trace]:
    recipe = Recipe(task, **choices)
    problem, _ = recipe.problem()
    trace = Trace()
    for event in train(problem, recipe.make_learner(), rule=Until(steps=steps)):
        trace.append(event)
    return problem, trace


def curves(element: Any) -> dict[str, Any]:
    return {curve.label: curve for curve in element.traverse(lambda x: x, [hv.Curve])}


def test_the_bounds_are_the_traces_columns(runs: dict[str, tuple[Any, Trace]]) -> None:
    _, trace = runs["blocks"]
    drawn = curves(plot.bounds(trace, clock="oracle calls", label="mine"))
    assert list(drawn) == ["mine primal", "mine dual"]
    for name in ("primal", "dual"):
        np.testing.assert_array_equal(drawn[f"mine {name}"].dimension_values(0), trace.column("oracle_calls"))
        np.testing.assert_array_equal(drawn[f"mine {name}"].dimension_values(1), trace.column(name))


def test_runs_overlay_and_lie_beside_each_other(runs: dict[str, tuple[Any, Trace]]) -> None:
    _, trace = runs["blocks"]
    both = plot.bounds(trace, label="a") * plot.bounds(trace, label="b")
    assert list(curves(both)) == ["a primal", "a dual", "b primal", "b dual"]
    assert len(plot.bounds(trace) + plot.working_set(trace)) == 2
    assert {"a", "b"} <= set(curves(plot.race(a=trace, b=trace)))
    learner = trace.starts[-1][1].learner
    assert {f"1: {learner}", f"2: {learner}"} <= set(curves(plot.race(trace, trace)))


def test_the_working_set_is_counted_as_the_trace_counts_it(runs: dict[str, tuple[Any, Trace]]) -> None:
    _, trace = runs["blocks"]
    drawn = curves(plot.working_set(trace))
    np.testing.assert_array_equal(drawn["kept"].dimension_values(1), trace.column("planes"))


def test_the_paths_in_a_trellis_are_truth_prediction_and_the_oracles_answer(
    runs: dict[str, tuple[Any, Trace]],
) -> None:
    problem, trace = runs["blocks"]
    w = trace.at(-1).w
    drawn = curves(plot.trellis(problem, trace, example=2))
    np.testing.assert_array_equal(drawn["truth"].dimension_values(1), problem.dataset.labels[2])
    np.testing.assert_array_equal(
        drawn["guess"].dimension_values(1), problem.predict(w, problem.dataset.inputs[2])
    )
    np.testing.assert_array_equal(drawn["most tempting"].dimension_values(1), problem.oracle(w, 2).label)


def test_nodes_of_a_labelling_say_their_states(runs: dict[str, tuple[Any, Trace]]) -> None:
    problem, trace = runs["clubs"]
    truth, guess, rival = plot.labelling(problem, trace, example=1)
    w, names = trace.at(-1).w, state_names(problem.dataset, problem.states)
    answers = {
        "truth": problem.dataset.labels[1],
        "guess": problem.predict(w, problem.dataset.inputs[1]),
        "most tempting": problem.oracle(w, 1).label,
    }
    for picture, (role, labels) in zip((truth, guess, rival), answers.items(), strict=True):
        (nodes,) = picture.traverse(lambda x: x, [hv.Points])
        assert picture.label.endswith(role)
        assert list(nodes.dimension_values("state")) == [names[state] for state in labels]


def test_a_similarity_has_a_cell_for_every_pair(runs: dict[str, tuple[Any, Trace]]) -> None:
    problem, trace = runs["marbles"]
    image = plot.similarity(problem, trace)
    m = len(problem.dataset.labels[0])
    drawn = image.dimension_values(2, flat=False)
    assert drawn.shape == (m, m)
    known = frame(problem, trace, len(trace) - 1)
    np.testing.assert_array_equal(drawn[::-1], known.K[np.ix_(known.order.items, known.order.items)])


def test_the_largest_weights_are_named(runs: dict[str, tuple[Any, Trace]]) -> None:
    problem, trace = runs["blocks"]
    bars = plot.weights(problem, trace, count=3)
    sizes = np.sort(np.abs(trace.at(-1).w))[::-1][:3]
    np.testing.assert_allclose(np.sort(np.abs(bars.dimension_values(1)))[::-1], sizes)


def test_the_loss_over_the_path_is_that_of_its_points() -> None:
    recipe = Recipe("circle")
    problem, _ = recipe.problem()
    points = list(path(problem, recipe.make_learner(), 0.1, 10.0, 0.1))
    drawn = curves(plot.path(points))
    assert set(drawn["train loss"].dimension_values(1)) <= {point.train_loss for point in points}


def test_a_picture_of_another_structure_is_refused(runs: dict[str, tuple[Any, Trace]]) -> None:
    problem, trace = runs["blocks"]
    with pytest.raises(Refused, match=r"plot\.labelling shows graphs, and this is a Chain"):
        plot.labelling(problem, trace)


@pytest.mark.parametrize(
    ("library", "ending"), [("matplotlib", "png"), ("matplotlib", "svg"), ("bokeh", "html")]
)
def test_figures_are_saved_without_a_server(
    library: str, ending: str, tmp_path: Path, runs: dict[str, tuple[Any, Trace]]
) -> None:
    problem, trace = runs["blocks"]
    for name, element in {
        "bounds": plot.bounds(trace) + plot.working_set(trace),
        "trellis": plot.trellis(problem, trace),
    }.items():
        place = tmp_path / f"{name}.{ending}"
        hv.save(element, place, backend=library, fmt=ending)
        assert place.stat().st_size > 5_000


def test_plot_is_a_name_of_the_package() -> None:
    assert explorer.plot is plot
    assert "plot" in explorer.__all__
