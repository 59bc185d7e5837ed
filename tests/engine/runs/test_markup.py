"""Runs, recipes and problems as text and as small tables."""

import sys

import numpy as np
import pytest

from explorer import Dataset, Listed, Recipe, Trace, train
from explorer.engine.runs.markup import facts
from explorer.extras import how_to_get


def run_of(name: str) -> Trace:
    recipe, trace = Recipe(name), Trace()
    problem, test = recipe.problem()
    for event in train(problem, recipe.make_learner(), rule=recipe.make_rule(), test=test):
        trace.append(event)
    return trace


def test_what_names_hold_is_escaped() -> None:
    html = facts("<b>", {"<i>": "<script>", "empty": "", "none": None, "no": 0})
    assert "<script>" not in html
    assert "<i>" not in html
    assert "&lt;script&gt;" in html
    assert "empty" not in html
    assert "none" not in html
    assert html.count("<tr>") == 2


def test_a_trace_tells_what_was_trained_what_is_proved_and_why_it_stopped() -> None:
    trace = run_of("circle")
    assert "none yet" in Trace()._repr_html_()
    for shown in (repr(trace), trace._repr_html_()):
        for part in (
            "12 examples",
            "NSlack",
            "C=10",
            "5.088641",
            "a certificate",
            trace.stops[-1][1].sentence,
        ):
            assert part in shown


def test_a_recipe_is_a_table_of_its_choices() -> None:
    html = Recipe("circle", settings={"C": 3.0})._repr_html_()
    for part in ("circle", "n-slack", "C=3", "relative_gap=0.001"):
        assert part in html


def test_a_trace_is_a_frame_with_a_row_for_every_step() -> None:
    trace = run_of("circle")
    frame = trace.frame()
    assert len(frame) == len(trace) == 3
    assert frame.primal.tolist() == trace.column("primal").tolist()
    assert frame.certified.all()


def test_without_pandas_a_frame_is_refused_with_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ValueError, match=r"\[frames\]"):
        Trace().frame()
    assert "[frames]" in str(how_to_get("pandas"))


@pytest.mark.parametrize("name", ["digit-words", "register-trees", "clouds", "stripes"])
def test_a_problem_does_not_print_its_data(name: str) -> None:
    assert len(repr(Recipe(name).problem()[0])) < 700
    assert repr(Dataset("line", [1.0, 2.0], [0, 1])) == "Dataset('line', 2 examples)"


def test_a_problem_whose_names_are_markup_shows_as_text() -> None:
    data = Dataset("<img src=x>", [-1.0, 1.0], [-1, 1])
    mine = Listed(
        data,
        psi=lambda x, y: np.array([x * y]),
        delta=lambda y, z: float(y != z),
        outputs=lambda x: (-1, 1),
        dim=1,
        name="<img src=x>",
    )
    trace = Trace()
    for event in train(mine, Recipe("circle").make_learner()):
        trace.append(event)
    assert "<img" not in trace._repr_html_()
