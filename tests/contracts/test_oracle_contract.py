"""What every oracle of fields promises, on every kind of field problem, held against enumeration.

Exact: the best score. Under-generating: a labelling, never above the best. Over-generating: a point of the
local polytope, never below the best. In training the same holds of the most violated labelling, and of whole
optima.
"""

from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.oracle_names import oracle_named, spell
from explorer.engine.learners import NSlack, SequentialDual
from explorer.engine.losses import Hamming
from explorer.engine.objective import value
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.fields.fields import Fields, Visited, unflatten
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.oracles import FIELD_ORACLES, Exhaustive
from explorer.engine.structures.fields.problem import FieldLabelling
from tests.catalogue import labels_of_rows, small_graphs

VISITED = [kind for kind in FIELD_ORACLES if isinstance(kind(), Visited)]
every_oracle = pytest.mark.parametrize("oracle", FIELD_ORACLES, ids=lambda kind: kind.title)


def problems(**choices: Any) -> dict[str, Any]:
    """One problem of every kind, with the oracles asked for."""
    per_cent = Hamming(normalised=True, times=100.0)
    return {
        "graphs, three states": lambda: FieldLabelling(small_graphs(), GraphMap(3), **choices),
        "graphs, two states, real marks": lambda: FieldLabelling(
            small_graphs(states=2, marks=2), GraphMap(2, "symmetric"), **choices
        ),
        "graphs without pairwise weights": lambda: FieldLabelling(
            small_graphs(), GraphMap(3, "none"), **choices
        ),
        "labels, fully connected": lambda: FieldLabelling(
            labels_of_rows(), LabelMap(3, all_pairs(3)), per_cent, **choices
        ),
        "labels in a tree": lambda: FieldLabelling(
            labels_of_rows(), LabelMap(3, ((0, 1), (1, 2))), per_cent, **choices
        ),
    }


def made(**choices: Any) -> list[Any]:
    """The problems that take the oracle."""
    found = []
    for make in problems(**choices).values():
        try:
            found.append(make())
        except Refused:
            continue  # of more states, or of other shapes, than this oracle takes
    assert found, "some kind of problem must take it"
    return found


def weights(problem: Any, count: int = 6) -> list[Any]:
    rng = np.random.default_rng(3)
    return [np.zeros(problem.dim), *(rng.normal(size=problem.dim) for _ in range(count))]


def check_polytope(field: Fields, shares: Any) -> None:
    """Shares are non-negative, sum to 1 at every node, and every edge's add up to its nodes'."""
    node, edge = unflatten(shares, len(field.unary), field.states)
    assert np.all(node >= -1e-9)
    assert np.all(edge >= -1e-9)
    assert node.sum(axis=1) == pytest.approx(np.ones(len(node)), abs=1e-9)
    for (a, b), joint in zip(field.ends, edge, strict=True):
        assert joint.sum(axis=1) == pytest.approx(node[a], abs=1e-8)
        assert joint.sum(axis=0) == pytest.approx(node[b], abs=1e-8)


@every_oracle
def test_scores_are_right_for_the_oracles_kind(oracle: Any) -> None:
    for problem in made(predictor=oracle()):
        for w in weights(problem):
            fields = problem.fields(w, 0, problem.n)
            if oracle().refuses(fields):
                continue
            found, best = oracle().solve(fields), Exhaustive().solve(fields).bound
            score = fields.scores(found.labels)
            assert np.all(score <= best + 1e-9), "a labelling never scores more than the best one"
            assert np.all(found.bound >= best - 1e-7 * (1 + np.abs(best)))
            if oracle.kind == "exact":
                assert score == pytest.approx(best, abs=1e-9)
            for i, shares in found.fractions.items():
                assert oracle.kind == "over"
                check_polytope(fields.one(i), shares)
                assert fields.relaxed_score(i, shares) >= best[i] - 1e-5 * (1 + abs(best[i]))
            if oracle.kind == "over":
                whole = [i for i in range(len(fields)) if i not in found.fractions]
                assert score[whole] == pytest.approx(best[whole], abs=1e-5), (
                    "whole answers of a relaxation are optimal"
                )


@every_oracle
def test_most_violated_labellings_are_right_for_the_oracles_kind(oracle: Any) -> None:
    exact = {problem.map: problem for problem in made()}
    for problem in made(separator=oracle()):
        for w in weights(problem, 3):
            try:
                cuts = problem.cuts(w, 0, problem.n)
            except Refused:
                assert oracle.title == "graph cut", "only graph cut depends on the signs of w"
                continue
            for cut, best in zip(cuts, exact[problem.map].cuts(w, 0, problem.n), strict=True):
                found, most = cut.loss - w @ cut.psi, best.loss - w @ best.psi
                slack = 1e-5 * (1 + abs(most))
                assert oracle.kind == "over" or found <= most + 1e-9
                assert oracle.kind == "under" or found >= most - slack
                made_again = problem.features(cut.i, problem.dataset.labels[cut.i]) - problem.features(
                    cut.i, cut.label
                )
                assert cut.psi == pytest.approx(made_again, abs=1e-12)
                assert cut.loss == pytest.approx(problem.loss(cut.i, cut.label), abs=1e-12)


@pytest.mark.parametrize("oracle", VISITED, ids=lambda kind: kind.title)
def test_compiled_visits_ask_the_same_oracle(oracle: Any) -> None:
    for problem in made(separator=oracle()):
        if not problem.visitable:
            continue
        for w in weights(problem, 3):
            part = problem.sweep(w, 0, problem.n)
            asked = np.maximum(problem.pricing.violations(part.margins, part.losses), 0.0)
            assert np.maximum(problem.worst(w), 0.0) == pytest.approx(asked, abs=1e-7)


@pytest.mark.spec("A45", "D17")
@every_oracle
def test_optima_under_approximate_oracles_lie_on_their_side_of_the_exact_one(oracle: Any) -> None:
    exact = {problem.map: problem for problem in made()}
    for problem in made(separator=oracle()):
        best = ended(exact[problem.map], NSlack(C=2.0))
        try:
            found = ended(problem, NSlack(C=2.0))
        except Refused:
            assert oracle.title == "graph cut"
            continue
        room = 2e-3 * best.bounds.primal
        if oracle.kind in ("under", "exact"):
            assert found.bounds.dual <= best.bounds.primal + room
        if oracle.kind in ("over", "exact"):
            assert found.bounds.primal >= best.bounds.dual - room
        assert value(exact[problem.map], found.w, 2.0) >= best.bounds.dual - room, (
            "no w beats the exact optimum"
        )
        assert found.bounds.certificate == (oracle.kind == "exact")


def ended(problem: Any, learner: Any) -> Any:
    """The last step with both bounds."""
    last = None
    for event in train(problem, learner, rule=Until(relative_gap=1e-3, steps=200)):
        if hasattr(event, "cuts") and event.bounds.primal == event.bounds.primal:
            last = event
    assert last is not None
    return last


@pytest.mark.parametrize(
    "oracle", [kind for kind in VISITED if kind.kind != "under"], ids=lambda kind: kind.title
)
def test_learners_with_compiled_visits_reach_the_same_optimum(oracle: Any) -> None:
    for problem in made(separator=oracle()):
        if problem.visitable:
            one, other = ended(problem, NSlack(C=2.0)), ended(problem, SequentialDual(C=2.0, certify_every=1))
            assert other.bounds.primal == pytest.approx(one.bounds.primal, rel=3e-3)


@every_oracle
def test_an_oracle_can_be_named_with_its_settings_and_found_by_that_name(oracle: Any) -> None:
    assert oracle_named(spell(oracle())) == oracle()
    assert spell(oracle()) == oracle.title
    with pytest.raises(Refused, match="has no setting 'speed'"):
        oracle_named(f"{oracle.title}(speed=3)")


def test_names_carry_settings_that_are_not_the_default() -> None:
    named = oracle_named("belief propagation(damping=0.5, sweeps=20)")
    assert (named.damping, named.sweeps) == (0.5, 20)
    assert oracle_named(spell(named)) == named
    with pytest.raises(Refused, match="give a number"):
        oracle_named("belief propagation(damping=much)")
    with pytest.raises(Refused, match="must be"):
        oracle_named("belief propagation(damping=2.0)")
    with pytest.raises(Refused, match="names no oracle"):
        oracle_named("belief(propagation")
