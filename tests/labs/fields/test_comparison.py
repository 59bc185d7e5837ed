"""The lab's numbers are those of enumeration: scores, places, gaps, bounds, and who is refused or waits."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.exhaustive import rank_labellings
from explorer.labs.compare import Bench, OracleComparison, hindrance
from explorer.labs.fields.comparison import compare_fields, open_nodes, refusals, reply_of, titles
from explorer.labs.fields.instance import (
    KINDS,
    POTTS,
    FieldCase,
    FieldChoice,
    describe,
    field_case,
    strengths,
    tree_places,
)
from explorer.labs.fields.state import FIRST, FieldLab, FieldSetup
from explorer.views.field_lab import places as lab_places
from explorer.views.field_lab import words as lab_words
from explorer.views.field_lab.places import curve, group_by_score, roomy, spread
from tests.labs.fields.sample_fields import every

SMALL = (
    FieldChoice("complete", 6, 2, seed=1),
    FieldChoice("complete", 4, 3, "normal", seed=2),
    FieldChoice("grid", 3, 2, couplings=POTTS, attraction=1.0, seed=3),
    FieldChoice("cycle", 5, 2, couplings=POTTS, attraction=0.4, seed=4),
    FieldChoice("tree", 6, 3, seed=5),
    FieldChoice("triangle", coupling=0.7),
)


def compared(choice: FieldChoice, *names: str) -> OracleComparison[Fields]:
    field = field_case(choice).field
    oracles = [oracle_named(name) for name in names or titles()]
    return compare_fields(field, Bench(field, reply_of).replies(oracles), rank_labellings(field))


def case_of(choice: FieldChoice) -> FieldCase:
    return field_case(choice)


# Instances.


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_makes_a_field_of_the_size_it_says_with_a_place_for_every_node(kind: str) -> None:
    case = field_case(FieldChoice(kind, 4, 3, seed=7))
    cells = 16 if case.shape else 3 if kind == "triangle" else 4
    assert (case.nodes, case.place.shape) == (cells, (cells, 2))
    assert len({tuple(spot) for spot in case.place.round(9).tolist()}) == cells
    assert KINDS[kind].title in describe(case)


def test_a_choice_is_brought_into_the_range_of_its_kind() -> None:
    assert FieldChoice("triangle", 50, 9).in_range() == FieldChoice("triangle", 3, 2, couplings=POTTS)
    assert FieldChoice("complete", 1, 1).in_range().size == 3


def test_an_edge_attracts_by_what_agreeing_is_worth() -> None:
    attracting = field_case(FieldChoice("cycle", 5, 3, couplings=POTTS, coupling=0.8, attraction=1.0)).field
    assert strengths(attracting) == pytest.approx(0.8)
    repelling = field_case(FieldChoice("cycle", 5, 3, couplings=POTTS, coupling=0.8, attraction=0.0)).field
    assert strengths(repelling) == pytest.approx(-0.8)


def test_a_tree_is_drawn_with_every_parent_above_its_children() -> None:
    places = tree_places(np.array([[0, 1], [0, 2], [2, 3], [2, 4]]), 5)
    assert places[:, 1].tolist() == [0.0, -1.0, -1.0, -2.0, -2.0]
    assert places[2, 0] == pytest.approx(0.5 * (places[3, 0] + places[4, 0]))


# Answers.


@pytest.mark.parametrize("choice", SMALL, ids=lambda c: c.kind)
def test_scores_places_and_gaps_are_those_of_enumeration(choice: FieldChoice) -> None:
    found = compared(choice)
    labellings, scores = every(found.question)
    assert found.top == pytest.approx(scores.max())
    for one in found.with_answer:
        own = scores[(labellings == one.labels).all(axis=1)][0]
        assert one.score == pytest.approx(own)
        assert found.gap(one) == pytest.approx(scores.max() - own, abs=1e-9)
        assert found.better(one) == int((scores > own + 1e-9).sum())
        assert one.seconds > 0.0


@pytest.mark.parametrize("choice", SMALL, ids=lambda c: c.kind)
def test_bounds_are_never_below_the_best_score_and_exact_oracles_reach_it(choice: FieldChoice) -> None:
    found = compared(choice)
    best = every(found.question)[1].max()
    for one in found.with_answer:
        assert one.bound >= best - 1e-7
        assert one.kind != "exact" or found.gap(one) == 0.0
    assert found.proven


def test_the_relaxed_oracles_leave_the_frustrated_triangle_open() -> None:
    found = compared(FieldChoice("triangle", coupling=0.7), "roof duality", "linear program")
    for one in found.with_answer:
        assert open_nodes(one.shares).tolist() == [0, 1, 2]
        assert one.shares == pytest.approx(np.full((3, 2), 0.5))
        assert one.bound == pytest.approx(0.0)
    assert found.top == pytest.approx(-0.7)


def test_without_a_list_a_bound_proves_what_it_meets_and_says_what_may_be_missed() -> None:
    few = compared(FieldChoice("patches", 12, 3), "alpha-expansion", "independent")
    assert (few.ranks, few.proven) == (None, False)
    assert few.better(few.with_answer[0]) is None
    more = compared(FieldChoice("patches", 12, 3), "alpha-expansion", "fast relaxation")
    assert more.proven == (more.bound - more.top <= 1e-9 * max(1.0, more.top))
    loose = replace(more, proven=False, bound=more.top + 2.0)
    assert "at most 2 is missed" in lab_words.sentence(case_of(FieldChoice("patches", 12, 3)), loose)


def test_one_of_several_best_labellings_is_not_called_wrong() -> None:
    found = compared(FieldChoice("triangle", coupling=0.7), "greedy", "independent")
    greedy, own = found.with_answer
    assert found.gap(greedy) == 0.0
    assert len(found.wrong(greedy)) == 0
    assert own.labels is not None
    assert own.labels.tolist() == [0, 0, 0]
    assert len(found.wrong(own)) == 1  # one node is enough to make two edges happy


def test_settings_are_part_of_an_oracles_name_and_reach_it() -> None:
    found = compared(
        FieldChoice("complete", 6, seed=1), "known approximation(rho=0.5)", "known approximation(rho=1.0)"
    )
    scores = np.sort(every(found.question)[1])
    half, whole = found.with_answer
    assert half.score == pytest.approx(scores[scores <= 0.5 * scores[-1]].max())
    assert found.gap(whole) == 0.0


def test_nothing_is_decoded_twice() -> None:
    asked = []
    bench = Bench(
        case_of(SMALL[0]).field, lambda oracle, *more: asked.append(oracle.title) or reply_of(oracle, *more)
    )
    bench.replies([oracle_named(name) for name in ("greedy", "ICM")])
    bench.replies([oracle_named(name) for name in ("greedy", "ICM", "independent")])
    assert asked == ["greedy", "ICM", "independent"]


# Who does not run.


def test_refusals_speak_about_the_only_field() -> None:
    refused = refusals(field_case(FieldChoice("complete", 18, 4)).field)
    assert {"exhaustive", "tree max-product", "graph cut", "roof duality", "known approximation"} == set(
        refused
    )
    assert not any("field 0" in reason or "fields have" in reason for reason in refused.values())


def test_slow_oracles_wait_to_be_asked_and_the_slowest_are_refused() -> None:
    field = field_case(FieldChoice("patches", 24, 3)).field
    program = oracle_named("linear program")
    reason, waits = hindrance(program, field, patient=False)
    assert waits
    assert "11,664 shares" in reason  # 576 nodes of 3 states and 1104 edges of 9 pairs
    assert hindrance(program, field, patient=True) == ("", False)
    reason, waits = hindrance(program, field_case(FieldChoice("patches", 48, 4)).field, patient=True)
    assert not waits
    assert "smaller instances only" in reason


def test_what_waits_answers_when_it_is_asked_patiently() -> None:
    field = field_case(FieldChoice("complete", 17, 2, seed=3)).field
    bench, oracles = Bench(field, reply_of), [oracle_named("exhaustive")]
    (first,) = bench.replies(oracles)
    assert first.waits
    assert "17,825,792 pairwise scores" in first.refused  # 136 edges of 2^17 labellings
    (second,) = bench.replies(oracles, patient=True)
    ranks = rank_labellings(field)
    assert ranks is not None
    assert second.score == pytest.approx(ranks.scores[0])


# Places.


@pytest.mark.parametrize("choice", SMALL[:4], ids=lambda c: c.kind)
def test_the_curve_goes_through_the_sorted_list_of_all_labellings(choice: FieldChoice) -> None:
    found = compared(choice).ranks
    scores = every(field_case(choice).field)[1]
    assert found is not None
    x, place = curve(found)
    assert (place[0], place[-1]) == (1, len(scores))
    assert x == pytest.approx(np.sort(scores)[::-1][place.astype(int) - 1])


def test_the_nearest_best_labelling_differs_least() -> None:
    found = compared(FieldChoice("triangle"))
    assert found.ranks is not None
    assert len(found.ranks.best) == 6
    assert found.target(np.array([1, 1, 0])).tolist() == [1, 1, 0]
    assert int((found.target(np.array([1, 1, 1])) != 1).sum()) == 1


def test_answers_with_one_score_share_a_mark() -> None:
    assert group_by_score([1.0, 3.0, 1.0, 2.0], 1e-9) == [[1], [3], [0, 2]]
    shown = lab_places.frame(compared(SMALL[0]), "greedy")
    assert sum(len(mark.titles) for mark in shown.marks) == len(compared(SMALL[0]).with_answer)
    assert [mark.shown for mark in shown.marks].count(True) == 1
    assert shown.marks[0].place == 1


def test_labels_keep_their_distance_and_stay_in_the_room() -> None:
    assert spread(np.array([10.0, 12.0, 60.0]), 10.0, 100.0).tolist() == [10.0, 20.0, 60.0]
    assert spread(np.array([90.0, 97.0]), 10.0, 100.0).tolist() == [85.0, 95.0]
    assert roomy([4], range(6), 35.0, 10.0).tolist() == [0, 1, 4]


def test_the_known_approximations_limit_is_rho_times_the_best() -> None:
    found = compared(SMALL[0], "known approximation(rho=0.25)")
    limit = lab_places.frame(found, "known approximation").limit
    assert limit == pytest.approx(0.25 * every(found.question)[1].max())
    assert lab_places.frame(compared(FieldChoice("triangle"), "known approximation"), "").limit is None


# What is shown first, and in words.


def test_the_first_instance_is_worth_looking_at() -> None:
    found = compared(FIRST.choice)
    scores = np.sort(every(found.question)[1])[::-1]
    belief, roof = found.reply("belief propagation"), found.reply("roof duality")
    assert belief is not None
    assert roof is not None
    assert int((scores > belief.score + 1e-9).sum()) == 18
    assert len(open_nodes(roof.shares)) == 4
    missed = [one.title for one in found.with_answer if found.gap(one) > 0.0 and one.kind == "under"]
    assert {"greedy", "ICM", "alpha-expansion", "belief propagation"} <= set(missed)


def test_the_table_marks_the_best_rows_with_a_sign_and_gives_reasons() -> None:
    found = compared(FIRST.choice)
    text = lab_words.html(found, "greedy")
    assert text.count("<tr class='best'>") == sum(found.gap(one) == 0.0 for one in found.with_answer)
    assert "★ exhaustive" in text
    assert "<tr class='shown'>" in text
    assert "cannot: the field has a cycle" in text
    columns = lab_words.table(found)
    assert {len(values) for values in columns.values()} == {len(found.with_answer)}


def test_names_are_escaped() -> None:
    found = compared(SMALL[0], "greedy")
    odd = replace(
        found,
        replies=(
            replace(found.replies[0], name="<b>"),
            replace(found.replies[0], labels=None, refused="<i>"),
        ),
    )
    text = lab_words.html(odd, "")
    assert "<b>" not in text
    assert "<i>" not in text


def test_a_lab_without_oracles_says_so() -> None:
    lab = FieldLab(FieldSetup(SMALL[0]))
    lab.ask([])
    assert "No oracle is asked" in lab.now.says
    assert "No oracle has answered" in lab_words.sentence(lab.case, lab.compared)
    lab.ask(["ICM"])
    assert lab.shown == "ICM"
