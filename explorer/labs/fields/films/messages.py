"""Belief propagation as a film: every sweep's messages, and what each node believes after it.

    belief[u, s] = unary[u, s] + sum of the messages to u,      decoded: the state of the largest belief
    lead(u)      = belief of u's state in the best labelling - largest other belief; below 0: decoded wrongly

On a tree the leads settle after as many sweeps as the tree is wide. With cycles a message comes back to its
sender and is counted as if it were news: leads may settle on the wrong side of 0, or swing for ever. Cost:
that of the sweeps shown.
"""

from dataclasses import replace

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.belief import beliefs_from, propagate
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import (
    Arrows,
    FieldFilm,
    FieldRequest,
    FieldStep,
    node_words,
    score_of,
    target_of,
)
from explorer.labs.film import MOST_STEPS, NONE, Curves, Film
from explorer.wording import quantity

SPACE, DRAWN = 600_000, 64
"""Numbers in the messages that are kept at most, and nodes of a field whose messages are drawn."""

LINES = 18
"""Curves over the steps at most: those that swing the most."""


def belief_film(asked: FieldRequest) -> FieldFilm:
    """Sweep by sweep; a long run is shown from its beginning, and its end is told."""
    oracle, field = asked.oracle, asked.question
    each = 2 * len(field.ends) * field.states + field.unary.size
    kept = int(min(oracle.sweeps, MOST_STEPS, max(2, SPACE // each)))
    shown = propagate(field, kept, oracle.damping, oracle.tolerance, record=True)
    ended = shown.converged or shown.sweeps == oracle.sweeps
    whole = shown if ended else propagate(field, oracle.sweeps, oracle.damping, oracle.tolerance)
    assert shown.history is not None  # record=True keeps it
    history = (
        shown.history
        if shown.sweeps == whole.sweeps
        else np.concatenate([shown.history, whole.messages[None]])
    )
    beliefs = [beliefs_from(field, messages) for messages in history]
    labels = np.stack([np.argmax(belief, axis=1) for belief in beliefs]).astype(np.int64)
    steps = [_sweep(field, k, history, beliefs, labels) for k in range(len(history))]
    if shown.sweeps < whole.sweeps:
        steps[-1] = replace(steps[-1], says=f"The other {whole.sweeps - shown.sweeps:,} sweeps at once.")
    verdict = _verdict(whole.sweeps, whole.converged, labels, shown.sweeps)
    return Film(asked.reply.title, tuple(steps), lead_curves(beliefs, target_of(asked)), verdict)


def lead_curves(beliefs: list[Array], best: Ints) -> Curves:
    """The leads of the nodes that swing the most."""
    leads = np.stack([lead(belief, best) for belief in beliefs])
    order = np.sort(np.argsort(-np.ptp(leads, axis=0), kind="stable")[:LINES])
    names = tuple(f"node {u}" for u in order)
    return Curves(
        "sweep", "lead of the best state", names, leads[:, order], 0.0, "below: decoded wrongly", order
    )


def lead(belief: Array, best: Ints) -> Array:
    """How far each node's best state is ahead of its strongest rival; below 0 it is behind."""
    own = np.take_along_axis(belief, best[:, None], axis=1)[:, 0]
    rivals = belief.copy()
    np.put_along_axis(rivals, best[:, None], -np.inf, axis=1)
    return own - rivals.max(axis=1, initial=-np.inf)


def arrows(field: Fields, messages: Array, rows: Ints | None = None) -> Arrows:
    """The messages for drawing, both directions of every edge, or only these rows."""
    sent = np.arange(len(messages)) if rows is None else rows
    tail, head = field.ends.ravel()[sent], field.ends[:, ::-1].ravel()[sent]
    return Arrows(
        tail, head, np.argmax(messages[sent], axis=1).astype(np.int64), np.ptp(messages[sent], axis=1)
    )


def _sweep(field: Fields, k: int, history: Array, beliefs: list[Array], labels: Ints) -> FieldStep:
    """The messages and beliefs after sweep k."""
    changed, says = NONE, "No message has been sent: every node believes its own scores."
    if k:
        changed = np.flatnonzero(labels[k] != labels[k - 1])
        moved = float(np.abs(history[k] - history[k - 1]).max(initial=0.0))
        flips = f"{node_words(changed)} changed {'its' if len(changed) < 2 else 'their'} mind"
        says = f"Sweep {k}: messages changed by up to {moved:.3g}; {flips}."
    drawn = arrows(field, history[k]) if len(field.unary) <= DRAWN else None
    score = score_of(field, labels[k])
    return FieldStep(
        says, labels[k], score, changed=changed, values=beliefs[k], called="belief", arrows=drawn
    )


def _verdict(sweeps: int, converged: bool, labels: Ints, shown: int) -> str:
    """Whether the messages settled, and how restless the nodes were."""
    more = f" The first {shown} sweeps are shown one by one." if shown < sweeps else ""
    if converged:
        return f"Converged after {quantity(sweeps, 'sweep')}.{more}"
    restless = np.flatnonzero((np.diff(labels[len(labels) // 2 :], axis=0) != 0).any(axis=0))
    swing = (
        f"{node_words(restless)} still change state"
        if len(restless)
        else "the decoded states no longer change"
    )
    return f"Not converged after {quantity(sweeps, 'sweep')}: {swing}.{more}"
