"""Films tell what oracles do: every step is checked against enumeration or a hand calculation."""

from itertools import pairwise, product

import numpy as np
import pytest

from explorer.engine.structures.fields.oracles.belief import beliefs_from
from explorer.engine.structures.fields.oracles.graph_cut import cut_of
from explorer.labs.fields.comparison import open_nodes, titles
from explorer.labs.fields.film import FieldFilm, FieldStep, node_words
from explorer.labs.fields.films.catalogue import FILMS, film
from explorer.labs.fields.films.messages import lead
from explorer.labs.fields.instance import POTTS, FieldChoice, field_case
from explorer.labs.fields.state import FIRST, FieldLab, FieldSetup
from explorer.labs.film import Curves
from explorer.views.over_steps.frame import OverFrame, sentence
from tests.labs.fields.sample_fields import ATTRACTING, CASES, every, score


def asked(choice: FieldChoice, *names: str) -> FieldLab:
    return FieldLab(FieldSetup(choice, names or tuple(titles()), names[0] if names else "greedy"))


def seen(choice: FieldChoice, name: str) -> FieldFilm:
    return asked(choice, name).film


def curves(shown: FieldFilm) -> Curves:
    assert isinstance(shown.over, Curves)
    return shown.over


def test_every_film_belongs_to_an_oracle() -> None:
    assert set(FILMS) <= set(titles())


@pytest.mark.parametrize("choice", CASES, ids=lambda c: c.kind + str(c.states))
def test_every_film_ends_with_the_oracles_answer_and_its_track_is_as_long(choice: FieldChoice) -> None:
    lab = asked(choice)
    for reply in lab.compared.with_answer:
        shown = film(lab.case, lab.compared, reply)
        last = shown.steps[-1]
        assert reply.labels is not None
        assert np.array_equal(last.labels, reply.labels), reply.title
        assert last.value == pytest.approx(reply.score)
        assert len(curves(shown).values) == len(shown) <= 130
        assert all(step.says.endswith(".") for step in shown.steps)


def test_an_oracle_that_refuses_has_a_film_that_says_why() -> None:
    shown = seen(FieldChoice("cycle", 5), "tree max-product")
    assert len(shown) == 1
    assert "cycle" in shown.steps[0].says


# Messages.


def test_on_a_tree_beliefs_end_as_max_marginals() -> None:
    choice = FieldChoice("tree", 6, 2, seed=3)
    field = field_case(choice).field
    shown = seen(choice, "belief propagation")
    labellings, scores = every(field)
    marginals = np.array([[scores[labellings[:, u] == s].max() for s in (0, 1)] for u in range(6)])
    last = shown.steps[-1].values
    assert last is not None
    assert last[:, 1] - last[:, 0] == pytest.approx(marginals[:, 1] - marginals[:, 0])
    assert shown.verdict.startswith("Converged")


def test_the_first_sweep_is_the_formula() -> None:
    """m_{u->v}[s'] = max_s (unary[u, s] + pair[s, s']) - the same at s' = 0, before any other message."""
    choice = FieldChoice("cycle", 4, 2, seed=9)
    field = field_case(choice).field
    step = seen(choice, "belief propagation").steps[1]
    assert step.arrows is not None
    (a, b), t = field.ends[0], field.table[0]
    sent = (field.unary[a][:, None] + field.pair[t]).max(axis=0)
    assert (step.arrows.tail[0], step.arrows.head[0]) == (a, b)
    assert step.arrows.lead[0] == pytest.approx(abs(sent[1] - sent[0]))
    assert step.arrows.state[0] == int(sent[1] > sent[0])


def test_a_lead_is_below_zero_exactly_where_a_node_is_decoded_wrongly() -> None:
    lab = FieldLab(FIRST)
    assert lab.reply is not None
    assert lab.reply.labels is not None
    target = lab.compared.target(lab.reply.labels)
    for k in (0, 1, 7, len(lab.film) - 1):
        step = lab.film.steps[k]
        assert np.array_equal(curves(lab.film).values[k] < 0.0, step.labels != target)
    assert lead(np.array([[3.0, 1.0, 2.5]]), np.array([2])) == pytest.approx([-0.5])


def test_the_first_film_does_not_converge_and_says_which_nodes_swing() -> None:
    shown = seen(FIRST.choice, "belief propagation")
    assert shown.verdict.startswith("Not converged after 100 sweeps")
    late = np.array([step.labels for step in shown.steps[60:]])
    swinging = np.flatnonzero((late != late[0]).any(axis=0))
    assert node_words(swinging) in shown.verdict
    assert f"{len(swinging)} cross 0 again and again" in sentence(OverFrame(shown, 100))


def test_damping_can_settle_what_swings_and_a_long_film_still_ends_with_the_answer() -> None:
    lab = asked(FIRST.choice, "belief propagation(damping=0.9, sweeps=1000)")
    shown = lab.film
    assert shown.verdict.startswith("Converged")
    assert len(shown) == 122  # the start, 120 sweeps, and the others at once
    assert lab.reply is not None
    assert shown.steps[-1].labels.tolist() == np.asarray(lab.reply.labels).tolist()


def test_a_tree_is_told_from_its_leaves_what_enumeration_finds() -> None:
    choice = FieldChoice("tree", 6, 2, seed=11)
    field = field_case(choice).field
    shown = seen(choice, "tree max-product")
    labellings, scores = every(field)
    assert shown.steps[-1].value == pytest.approx(scores.max())
    root = shown.steps[-1].values
    assert root is not None
    assert root[0] == pytest.approx([scores[labellings[:, 0] == s].max() for s in (0, 1)])


# Moves.


def test_every_greedy_step_is_the_flip_that_gains_the_most() -> None:
    field = field_case(CASES[0]).field
    steps = seen(CASES[0], "greedy").steps
    assert len(steps) > 2
    for before, after in pairwise(steps):
        flips = [np.where(np.arange(6) == u, 1 - before.labels, before.labels) for u in range(6)]
        assert after.value == pytest.approx(max(score(field, y) for y in flips))
        assert after.changed.tolist() == np.flatnonzero(before.labels != after.labels).tolist()


def test_conditional_modes_change_one_node_at_a_time_and_never_lose() -> None:
    for choice in CASES[:5]:
        steps = seen(choice, "ICM").steps
        for before, after in pairwise(steps):
            assert len(after.changed) == 1
            assert after.value > before.value


def test_every_expansion_is_the_best_of_its_kind() -> None:
    choice = FieldChoice("grid", 3, 3, couplings=POTTS, coupling=0.6, attraction=1.0, seed=2)
    field = field_case(choice).field
    steps = seen(choice, "alpha-expansion").steps
    assert len(steps) > 3
    for k, (before, after) in enumerate(pairwise(steps)):
        offered = [np.where(take, k % 3, before.labels) for take in product((False, True), repeat=9)]
        assert after.value == pytest.approx(max(score(field, y) for y in offered))


def test_a_long_walk_jumps_to_its_end() -> None:
    steps = seen(FieldChoice("patches", 20, 2, seed=1), "greedy").steps
    assert len(steps) == 120
    assert "more steps at once" in steps[-1].says


# Cuts.


def test_paths_of_the_flow_add_up_to_the_minimum_cut() -> None:
    field = field_case(ATTRACTING).field
    shown = seen(ATTRACTING, "graph cut")
    flows, last = curves(shown).values[:, 0], shown.steps[-1]
    assert flows[-2] == pytest.approx(cut_of(field).flow)
    assert np.all(np.diff(flows[:-1]) > 0)
    assert last.value == pytest.approx(every(field)[1].max())
    ends = last.labels[field.ends]
    assert last.cut.tolist() == np.flatnonzero(ends[:, 0] != ends[:, 1]).tolist()


def test_what_is_cut_is_full() -> None:
    field = field_case(ATTRACTING).field
    shown = seen(ATTRACTING, "graph cut")
    last = shown.steps[-1]
    assert last.flow is not None
    assert last.source is not None
    forth = np.where(
        last.source[field.ends[last.cut, 0]], last.flow.left[last.cut, 0], last.flow.left[last.cut, 1]
    )
    assert forth == pytest.approx(0.0, abs=1e-9)


def test_roof_duality_decides_nodes_that_are_separated_from_their_complement() -> None:
    lab = asked(FIRST.choice, "roof duality")
    shown, reply = lab.film, lab.reply
    assert reply is not None
    drawn = [step for step in shown.steps if step.source is not None]
    source = drawn[-1].source
    assert source is not None
    zeros, ones = np.flatnonzero(source[:10]), np.flatnonzero(source[10:])
    assert not set(zeros) & set(ones)
    assert reply.labels is not None
    assert set(reply.labels[zeros]) <= {0}
    assert set(reply.labels[ones]) <= {1}
    assert not (set(zeros) | set(ones)) & set(open_nodes(reply.shares))
    assert "Integrality gap" in shown.verdict


# Relaxations and lists.


def test_the_bound_falls_and_is_never_below_the_best_score() -> None:
    field = field_case(CASES[1]).field
    bounds, scores = curves(seen(CASES[1], "fast relaxation")).values.T
    best = every(field)[1].max()
    assert bounds.min() >= best - 1e-7
    assert scores.max() <= best + 1e-9
    assert np.all(np.diff(bounds) <= 1e-9)


def test_the_triangles_program_mixes_all_nodes_and_rounding_costs_two_edges_more() -> None:
    shown = seen(FieldChoice("triangle", coupling=1.0), "linear program")
    assert "18 variables, tied by 15 equalities" in shown.steps[0].says
    assert shown.steps[1].shares == pytest.approx(np.full((3, 2), 0.5))
    assert "minus the best score -1 is 1" in shown.verdict


def test_branch_and_bound_searches_where_the_relaxation_is_open() -> None:
    shown = seen(FieldChoice("triangle", coupling=1.0), "branch and bound")
    assert len(shown) == 2
    assert shown.steps[-1].value == pytest.approx(-1.0)
    tight = seen(ATTRACTING, "branch and bound")
    assert "no subproblem" in tight.steps[0].says


def test_the_known_approximation_walks_down_the_list_to_its_limit() -> None:
    scores = np.sort(every(field_case(CASES[0]).field)[1])[::-1]
    shown = seen(CASES[0], "known approximation(rho=0.8)")
    walked = [step.value for step in shown.steps[:-1]]
    assert walked == pytest.approx(scores[scores > 0.8 * scores[0]])
    assert shown.steps[-1].value == pytest.approx(scores[scores <= 0.8 * scores[0]].max())


def test_exhaustive_search_ends_at_the_best_of_all() -> None:
    scores = np.sort(every(field_case(CASES[0]).field)[1])
    shown = seen(CASES[0], "exhaustive")
    assert [step.value for step in shown.steps] == pytest.approx(scores[-20:])
    assert f"leads by {scores[-1] - scores[-2]:.4g}" in shown.verdict


def test_the_beliefs_without_messages_are_the_scores() -> None:
    field = field_case(CASES[1]).field
    assert np.array_equal(beliefs_from(field, np.zeros((2 * len(field.ends), 3))), field.unary)
    assert node_words(np.arange(8)) == "nodes 0, 1, 2, 3, 4, 5 and 2 more"
    assert FieldStep("", np.zeros(1, dtype=np.int64), 0.0).changed.size == 0
