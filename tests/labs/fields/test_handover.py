"""What is taken from a run to the oracle lab is the same field, kept for a while, and found by its name."""

from itertools import pairwise, product

import numpy as np
import pytest

from explorer.dashboards.lab.link import query, read
from explorer.engine.data.random_fields import random_field
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.labs.fields import handover as lab_taken
from explorer.labs.fields.handover import Taken, field_of, row_places, take, taken
from explorer.labs.fields.instance import Choice, described, instance
from explorer.labs.fields.state import FIRST, Lab, Setup


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


def test_the_same_field_has_one_name_and_the_oldest_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab_taken, "MOST", 2)
    first, second = take(some(0)), take(some(1))
    assert take(some(0)) == first != second
    third = take(some(2))
    assert taken(second) is None
    assert taken(first) is not None
    assert taken(third) is not None


def test_the_lab_shows_what_was_taken_and_its_link_leads_back() -> None:
    one = some(7)
    lab = Lab(Setup(Choice("taken", taken=take(one))))
    assert lab.bench.case.field is one.field
    assert described(lab.bench.case) == "Example 7 of trees, at step 3: 4 nodes, 2 states, 4 edges"
    again, faults = read(query(lab.setup()))
    assert (again.choice, faults) == (lab.choice, ())
    best = max(one.field.scores(np.array(labels))[0] for labels in product(range(2), repeat=4))
    assert lab.compared.answer("exhaustive").score == pytest.approx(best)


def test_what_is_no_longer_kept_is_said_and_the_first_instance_shown() -> None:
    setup, faults = read("?v=1&kind=taken&taken=gone")
    assert setup.choice == FIRST.choice
    assert faults == (
        "The example that the link names is no longer kept here: open it again from the studio.",
    )
    with pytest.raises(Refused, match="no longer kept"):
        instance(Choice("taken", taken="gone"))
