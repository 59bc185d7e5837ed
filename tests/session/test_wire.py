"""What arrives in another process is what was sent, however it travelled."""

import pickle
from typing import Any

import numpy as np
import pytest

from explorer.engine.events import EVERY_EXAMPLE, Cut, Evaluated, Step, Stopped
from explorer.session.jobs import InLane
from explorer.session.wire import pack

RAGGED = tuple(np.arange(length) % 26 for length in (3, 0, 7, 1, 12, 5))


def sent(event: Any) -> Any:
    return pickle.loads(pickle.dumps(pack(event)))


def step(*labels: Any) -> Step:
    return Step(
        3, np.array([1.0, -2.0]), tuple(Cut(EVERY_EXAMPLE, label, np.zeros(0), 0.5) for label in labels)
    )


@pytest.mark.parametrize(
    "label",
    [
        RAGGED,
        tuple(one + 1000 for one in RAGGED),
        tuple(-one.astype(np.int32) for one in RAGGED),
        tuple(one / 2 for one in RAGGED),
        (*RAGGED[:5], np.arange(3.0)),
        tuple(one.reshape(1, -1) for one in RAGGED),
        RAGGED[:2],
        tuple(np.int64(i) for i in range(9)),
        (),
        None,
        "text",
    ],
)
def test_labels_of_every_kind_arrive_as_they_were(label: Any) -> None:
    arrived = sent(step(label, 7)).cuts
    assert arrived[1].label == 7
    assert (arrived[0].i, arrived[0].loss) == (EVERY_EXAMPLE, 0.5)
    assert type(arrived[0].label) is type(label)
    if isinstance(label, tuple):
        assert len(arrived[0].label) == len(label)
        for mine, theirs in zip(label, arrived[0].label, strict=True):
            assert theirs.dtype == mine.dtype
            assert theirs.shape == mine.shape
            assert np.array_equal(theirs, mine)
    else:
        assert arrived[0].label == label


def test_many_small_labels_take_a_fifth_of_the_bytes() -> None:
    many = step(tuple(np.arange(9) % 5 for _ in range(500)))
    assert 5 * len(pickle.dumps(pack(many))) < len(pickle.dumps(many))


def test_the_steps_of_a_race_are_packed_too_and_other_events_are_left_alone() -> None:
    lane = sent(InLane("one-slack", step(RAGGED)))
    assert lane.lane == "one-slack"
    assert np.array_equal(lane.event.cuts[0].label[4], RAGGED[4])
    for event in (Stopped("gap", "the gap is small", 9), Evaluated(1, step().bounds, 0.5, 0.25)):
        assert pack(event) is event
