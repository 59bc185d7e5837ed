"""Messages of belief propagation, sweep by sweep against their formulas."""

import numpy as np
import pytest

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.kernels.belief import (
    _sweep_any,
    gather_beliefs,
    propagate_all,
    propagate_one,
    sweep,
)
from tests.engine.structures.fields.oracles.sample_fields import (
    Array,
    Part,
    complete,
    graph_edges,
    mixed,
    scored,
    stacked,
)


def after(field: Fields, sweeps: int, damping: float = 0.0) -> tuple[Array, Array, float]:
    """Messages, beliefs and the last change."""
    messages, beliefs, change = np.zeros((2 * len(field.ends), field.states)), field.unary.copy(), np.inf
    for _ in range(sweeps):
        change = sweep(field.unary, field.ends, field.table, field.pair, damping, messages, beliefs)
    return messages, beliefs, change


def by_formula(field: Fields, sweeps: int) -> Array:
    """m_{u->v}[s'] = max_s (unary[u, s] + other messages to u + pair[s, s']), less its entry of state 0."""
    K, rows = field.states, [(e, d) for e in range(len(field.ends)) for d in (0, 1)]
    messages = np.zeros((len(rows), K))
    for _ in range(sweeps):
        new = np.zeros_like(messages)
        for e, d in rows:
            u, scores = field.ends[e, d], field.pair[field.table[e]]
            cavity = field.unary[u].copy()
            for f, c in rows:
                if f != e and field.ends[f, 1 - c] == u:
                    cavity += messages[2 * f + c]
            sent = np.max(cavity[:, None] + (scores if d == 0 else scores.T), axis=0)
            new[2 * e + d] = sent - sent[0]
        messages = new
    return messages


@pytest.mark.parametrize("states", [1, 2, 3, 4])
def test_messages_are_those_of_the_formula(states: int) -> None:
    rng = np.random.default_rng(states)
    for share in (0.4, 1.0):
        field = stacked([scored(rng, 5, graph_edges(rng, 5, share), states)])
        for sweeps in (1, 2, 5):
            assert np.allclose(after(field, sweeps)[0], by_formula(field, sweeps), atol=1e-9)


def test_two_states_are_the_scalar_recursion_of_complete_binary_fields() -> None:
    field, m = complete(1, 6), 6
    a, b = field.unary[:, 1], np.zeros((m, m))
    for (u, v), scores in zip(field.ends, field.pair, strict=True):
        b[u, v] = b[v, u] = scores[1, 1]
    message = np.zeros((m, m))
    for _ in range(4):
        c = a[:, None] + message.sum(axis=0)[:, None] - message.T
        message = np.maximum(0, c + b) - np.maximum(0, c)
        np.fill_diagonal(message, 0.0)
    messages, beliefs, _ = after(field, 4)
    for e, (u, v) in enumerate(field.ends):
        assert messages[2 * e].tolist() == pytest.approx([0.0, message[u, v]])
        assert messages[2 * e + 1].tolist() == pytest.approx([0.0, message[v, u]])
    assert np.allclose(beliefs[:, 1] - beliefs[:, 0], a + message.sum(axis=0))


def test_the_sweep_for_two_states_is_the_general_one_number_for_number() -> None:
    rng = np.random.default_rng(3)
    field = stacked([scored(rng, 5, graph_edges(rng, 5, 0.8), 2)])
    for damping in (0.0, 0.3):
        messages, beliefs = np.zeros((2 * len(field.ends), 2)), field.unary.copy()
        for sweeps in range(1, 6):
            change = _sweep_any(field.ends, field.table, field.pair, damping, messages, beliefs)
            gather_beliefs(field.unary, field.ends, messages, beliefs)
            ours = after(field, sweeps, damping)
            assert np.array_equal(ours[0], messages)
            assert ours[2] == change


def test_damping_keeps_a_share_of_the_old_message_and_the_change_is_the_undamped_one() -> None:
    rng = np.random.default_rng(5)
    for states in (2, 3):
        field = stacked([scored(rng, 4, graph_edges(rng, 4, 1.0), states)])
        plain, _, far = after(field, 1)
        damped, _, change = after(field, 1, damping=0.75)
        assert np.allclose(damped, 0.25 * plain, atol=1e-15)
        assert change == far == np.abs(plain).max()


def test_it_stops_at_the_tolerance_and_says_after_how_many_sweeps() -> None:
    # Only the first node has an opinion, and all want to be alike.
    unary = np.zeros((4, 3))
    unary[0, 1] = 1.0
    field = stacked([Part(unary, np.array([(0, 1), (1, 2), (2, 3)]), np.tile(5.0 * np.eye(3), (3, 1, 1)))])
    labels = np.empty(4, dtype=np.int64)
    made, change = propagate_one(field.unary, field.ends, field.table, field.pair, 100, 0.0, 1e-9, labels)
    assert made == 4  # three edges to cross, and one sweep in which nothing changes
    assert change <= 1e-9
    made, change = propagate_one(field.unary, field.ends, field.table, field.pair, 2, 0.0, 1e-9, labels)
    assert made == 2
    assert change > 1e-9


def test_a_stack_is_decoded_field_by_field_and_only_where_asked() -> None:
    fields = mixed(np.random.default_rng(7), 3, n=6, most=4)
    labels, made, change = np.full(len(fields.unary), -1), np.full(6, -1), np.full(6, np.nan)
    stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
    propagate_all(*stack, 1, 5, 20, 0.0, 1e-6, labels, made, change)
    for i, field in enumerate(fields):
        own = labels[fields.nodes[i] : fields.nodes[i + 1]]
        if i in (0, 5):
            assert set(own) == {-1}
        else:
            assert own.tolist() == after(field, int(made[i]))[1].argmax(axis=1).tolist()
    assert np.isnan(change[[0, 5]]).all()
