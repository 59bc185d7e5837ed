"""What is taken from a run to the oracle lab is the same field, kept for a while, and found by its name."""

from itertools import pairwise, product

import numpy as np
import pytest

from explorer.dashboards.lab.link import query, read
from explorer.engine.data.random_fields import random_field
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.labs.fields.handover import HANDOVER, Handover, Taken, field_of, row_places
from explorer.labs.fields.instance import FieldChoice, describe, field_case
from explorer.labs.fields.state import FIRST, FieldLab, FieldSetup


def some(seed: int = 0) -> Taken:
    return Taken(
        f"Example {seed} of trees, at step 3",
        random_field(4, 2, "uniform", "cycle", seed=seed),
        row_places(4),
    )


def test_a_chain_becomes_a_field_with_the_same_score_for_every_labelling() -> None:
    rng = np.random.default_rng(3)
    unary, trans, start, stop = (rng.normal(size=size) for size in ((4, 3), (3, 3), 3, 3))
    field = field_of(Chains(unary, np.array([0, 4]), trans, start, stop))
    for path in product(range(3), repeat=4):
        by_hand = start[path[0]] + stop[path[-1]] + sum(unary[t, s] for t, s in enumerate(path))
        by_hand += sum(trans[a, b] for a, b in pairwise(path))
        assert field.scores(np.array(path))[0] == pytest.approx(by_hand)


def test_a_chain_of_one_position_has_no_edges() -> None:
    field = field_of(Chains(np.ones((1, 2)), np.array([0, 1]), np.ones((2, 2)), np.ones(2), np.full(2, 2.0)))
    assert field.unary.tolist() == [[4.0, 4.0]]
    assert len(field.ends) == 0


@pytest.mark.parametrize("shelf", [Handover(most=2), Handover(numbers=2 * some().numbers)])
def test_the_same_field_has_one_name_and_the_oldest_are_let_go(shelf: Handover) -> None:
    first, second = shelf.give(some(0)), shelf.give(some(1))
    assert shelf.give(some(0)) == first != second
    third = shelf.give(some(2))
    assert shelf.get(second) is None
    assert shelf.get(first) is not None
    assert shelf.get(third) is not None


def test_a_field_that_is_larger_than_the_room_is_kept_alone() -> None:
    shelf = Handover(numbers=3)
    first, second = shelf.give(some(0)), shelf.give(some(1))
    assert (shelf.get(first), shelf.get(second) is None) == (None, False)
    assert some().numbers == 4 * 2 + 4 * 2 + 4 + 4 * 4, "unary, ends, tables of the edges, and their scores"


def test_the_lab_shows_what_was_taken_and_its_link_leads_back() -> None:
    one = some(7)
    lab = FieldLab(FieldSetup(FieldChoice("taken", taken=HANDOVER.give(one))))
    assert lab.case.field is one.field
    assert describe(lab.case) == "Example 7 of trees, at step 3: 4 nodes, 2 states, 4 edges"
    again, faults = read(query(lab.setup()))
    assert (again.choice, faults) == (lab.choice, ())
    best = max(one.field.scores(np.array(labels))[0] for labels in product(range(2), repeat=4))
    assert lab.compared.reply("exhaustive").score == pytest.approx(best)


def test_what_is_no_longer_kept_is_said_and_the_first_instance_shown() -> None:
    setup, faults = read("?v=1&kind=taken&taken=gone")
    assert setup.choice == FIRST.choice
    assert faults == (
        "The example that the link names is no longer kept here: open it again from the studio.",
    )
    with pytest.raises(Refused, match="no longer kept"):
        field_case(FieldChoice("taken", taken="gone"))
