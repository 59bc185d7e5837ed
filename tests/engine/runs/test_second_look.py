"""A run looked at again: what agrees, what a disturbed run gives away, and who has something to say."""

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Learner, Problem
from explorer.engine.events import Bounds, Step
from explorer.engine.refusals import Refused
from explorer.engine.runs.second_look import Look, second_look
from explorer.engine.runs.streams import train
from explorer.engine.runs.trace import Trace
from tests import referee

CIRCLE = Recipe("circle", settings={"C": 10.0})
SIX_LABELS = {"n": 20, "n_test": 1}


def run(recipe: Recipe) -> tuple[Problem, Learner, Trace]:
    problem, _ = recipe.problem()
    trace = Trace()
    for event in train(problem, recipe.make_learner(), rule=recipe.make_rule()):
        trace.append(event)
    return problem, recipe.make_learner(), trace


def looks(recipe: Recipe) -> dict[str, list[Look]]:
    return by_title(*run(recipe))


def by_title(problem: Problem, learner: Learner, trace: Trace) -> dict[str, list[Look]]:
    found: dict[str, list[Look]] = {}
    for look in second_look(problem, learner, trace):
        found.setdefault(look.title, []).append(look)
    return found


def numbers(sentence: str) -> list[float]:
    words = (word.strip(",;.").replace(",", "") for word in sentence.split())
    return [
        float(word) for word in words if word.replace(".", "").replace("-", "").replace("e", "").isdigit()
    ]


@pytest.mark.spec("F10", "C17")
def test_the_circle_toy_is_found_again_at_its_published_optimum() -> None:
    found = looks(CIRCLE)
    once, listed = found["objective"]
    assert numbers(once.sentence) == pytest.approx([5.088641, 5.088641], abs=1e-6)
    assert numbers(listed.sentence)[0] == pytest.approx(5.088641, abs=1e-6)
    assert numbers(found["risk"][0].sentence)[0] == pytest.approx(
        1 / 12, abs=1e-6
    )  # one training error of twelve
    assert "at most 320,000,000 passes with new cuts" in found["theorem"][0].sentence
    judged = [look.holds for group in found.values() for look in group if look.holds is not None]
    assert judged == [True] * 3


@pytest.mark.spec("C16")
def test_at_its_own_end_the_learner_leaves_no_violation_above_eps() -> None:
    settings = {"C": 10.0, "eps": 0.05, "order": "each"}
    (look,) = looks(Recipe("circle", settings=settings, rule={"relative_gap": 0.0}))["tolerance"]
    assert look.holds
    assert "eps = 0.05" in look.sentence


def test_weights_that_were_tampered_with_are_given_away() -> None:
    problem, learner, trace = run(CIRCLE)
    last = len(trace) - 1
    trace.weights.kept[last] = 1.1 * trace.weights.kept[last]
    once, listed = by_title(problem, learner, trace)["objective"]
    assert once.holds is False  # the file's objective is not that of these weights
    assert listed.holds is True  # whatever they are, both ways to their objective agree


@pytest.mark.spec("C21", "C22")
def test_on_trees_one_program_finds_the_optimum_that_an_independent_solver_finds() -> None:
    recipe = Recipe(
        "trees", {"n": 3, "n_test": 1, "nodes": 3}, learner="one-slack", settings={"C": 10.0, "eps": 1e-4}
    )
    problem, learner, trace = run(recipe)
    (look,) = by_title(problem, learner, trace)["one program"]
    below, above, lower = numbers(look.sentence)
    assert look.holds
    assert "the optimum of this problem" in look.sentence
    known = referee.optimum(problem, 10.0).value
    assert (below, above) == pytest.approx((known, known), rel=1e-4)
    assert lower <= known * (1.0 + 1e-6)


@pytest.mark.spec("C22")
@pytest.mark.parametrize("oracle", ["roof duality", "exhaustive"])
def test_with_cycles_one_program_is_the_relaxed_problem(oracle: str) -> None:
    found = looks(Recipe("synth1", SIX_LABELS, oracle=oracle, learner="one-slack", settings={"C": 10.0}))
    (look,) = found["one program"]
    assert look.holds
    below, above, lower = numbers(look.sentence)
    assert "its relaxation" in look.sentence
    assert lower <= above * (1.0 + 1e-5)
    if oracle == "roof duality":
        assert below == pytest.approx(lower, rel=1e-3)


@pytest.mark.spec("D14")
def test_the_exact_optimum_lies_where_an_approximate_run_says() -> None:
    settings = {"C": 10.0, "eps": 1e-3}
    approximate = looks(Recipe("synth1", SIX_LABELS, oracle="greedy", learner="one-slack", settings=settings))
    reached, where = approximate["approximation"]
    rho, predicted = numbers(reached.sentence)
    assert 0.0 < rho < 1.0
    assert 0.0 < predicted <= 1.0
    low, high = numbers(where.sentence)[-2:]
    exact = run(Recipe("synth1", SIX_LABELS, oracle="exhaustive", learner="one-slack", settings=settings))[2]
    assert low <= exact.at(-1).figures["primal"]
    assert exact.at(-1).figures["dual"] <= high


@pytest.mark.spec("D36")
@pytest.mark.parametrize("task", ["links", "clouds"])
def test_a_clustering_machine_is_a_sum_over_its_training_pairs(task: str) -> None:
    (look,) = looks(Recipe(task, {} if task == "links" else {"n": 2, "n_test": 1}))["pairs"]
    assert look.holds


def test_learners_without_a_working_set_or_an_objective_have_less_to_say() -> None:
    assert set(looks(Recipe("circle", learner="sequential-dual"))) == {"objective", "risk"}
    assert set(looks(Recipe("four-points", learner="perceptron"))) == {"risk"}


def test_nothing_recorded_is_refused() -> None:
    problem, _ = CIRCLE.problem()
    with pytest.raises(Refused, match="no steps"):
        next(second_look(problem, CIRCLE.make_learner(), Trace()))


def test_an_objective_that_was_tampered_with_is_given_away() -> None:
    problem, learner, trace = run(CIRCLE)
    # Objective of w = 0 is C: a file that says 9 there is wrong, whoever wrote it.
    trace.append(
        Step(len(trace), np.zeros(problem.dim), bounds=Bounds(9.0, 5.0, True), state=trace.keyframe()[1])
    )
    once, listed = by_title(problem, learner, trace)["objective"]
    assert numbers(once.sentence) == [10.0, 9.0]
    assert once.holds is False
    assert numbers(listed.sentence)[0] == 10.0
