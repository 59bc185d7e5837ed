"""Belief propagation as a film: every sweep's messages, and what each node believes after it.

    belief[u, s] = unary[u, s] + sum of the messages to u,      decoded: the state of the largest belief
    lead(u)      = belief of u's state in the best labelling - the largest of its other beliefs;
        below 0: decoded wrongly

On a tree the leads settle after as many sweeps as the tree is wide. With cycles a message comes back to its
sender and is counted as if it were news: leads may settle on the wrong side of 0, or swing for ever. Cost:
that of the sweeps shown.
"""

from dataclasses import replace

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.belief import propagate
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import MOST_STEPS, Film, Messages, Request, Step, Track, listed, score_of

SPACE, DRAWN = 600_000, 64
"""Numbers in the messages that are kept at most, and nodes of a field whose messages are drawn."""

LINES = 18
"""Lines of the track at most: those that swing the most."""


def belief_film(asked: Request) -> Film:
    """Sweep by sweep; a long run is shown from its beginning, and its end is told."""
    oracle, field = asked.oracle, asked.field
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
    beliefs = [believed(field, messages) for messages in history]
    labels = np.stack([np.argmax(belief, axis=1) for belief in beliefs]).astype(np.int64)
    steps = [_step(field, k, history, beliefs, labels) for k in range(len(history))]
    if shown.sweeps < whole.sweeps:
        steps[-1] = replace(steps[-1], says=f"The other {whole.sweeps - shown.sweeps:,} sweeps at once.")
    leads = np.stack([lead(belief, asked.target) for belief in beliefs])
    order = np.sort(np.argsort(-np.ptp(leads, axis=0), kind="stable")[:LINES])
    names = tuple(f"node {u}" for u in order)
    track = Track(
        "sweep", "lead of the best state", names, leads[:, order], 0.0, "below: decoded wrongly", order
    )
    return Film(
        asked.name, tuple(steps), track, _verdict(whole.sweeps, whole.converged, labels, shown.sweeps)
    )


def believed(field: Fields, messages: Array) -> Array:
    """The beliefs (m, K) that messages (2 e, K) make."""
    out = field.unary.copy()
    np.add.at(out, field.ends[:, 1], messages[0::2])
    np.add.at(out, field.ends[:, 0], messages[1::2])
    return out


def lead(belief: Array, best: Ints) -> Array:
    """How far each node's best state is ahead of its strongest rival; below 0 it is behind."""
    own = np.take_along_axis(belief, best[:, None], axis=1)[:, 0]
    rivals = belief.copy()
    np.put_along_axis(rivals, best[:, None], -np.inf, axis=1)
    return own - rivals.max(axis=1, initial=-np.inf)


def arrows(field: Fields, messages: Array) -> Messages:
    """The messages for drawing, both directions of every edge."""
    tail, head = field.ends.ravel(), field.ends[:, ::-1].ravel()
    return Messages(tail, head, np.argmax(messages, axis=1).astype(np.int64), np.ptp(messages, axis=1))


def _step(field: Fields, k: int, history: Array, beliefs: list[Array], labels: Ints) -> Step:
    """The messages and beliefs after sweep k."""
    changed = np.flatnonzero(labels[k] != labels[k - 1]) if k else np.zeros(0, dtype=np.int64)
    if k == 0:
        says = "No message has been sent: every node believes its own scores."
    else:
        moved = float(np.abs(history[k] - history[k - 1]).max(initial=0.0))
        flips = (
            f"{listed(changed)} changed their mind"
            if len(changed) != 1
            else f"{listed(changed)} changed its mind"
        )
        says = (
            f"Sweep {k}: messages changed by up to {moved:.3g}; "
            f"{flips if len(changed) else 'no node changed its mind'}."
        )
    return Step(
        says,
        labels[k],
        score_of(field, labels[k]),
        changed=changed,
        values=beliefs[k],
        called="belief",
        messages=arrows(field, history[k]) if len(field.unary) <= DRAWN else None,
    )


def _verdict(sweeps: int, converged: bool, labels: Ints, shown: int) -> str:
    """Whether the messages settled, and how restless the nodes were."""
    more = f" The first {shown} sweeps are shown one by one." if shown < sweeps else ""
    if converged:
        return f"Converged after {sweeps} sweep{'s' if sweeps != 1 else ''}.{more}"
    restless = np.flatnonzero((np.diff(labels[len(labels) // 2 :], axis=0) != 0).any(axis=0))
    swing = (
        f"{listed(restless)} still change state" if len(restless) else "the decoded states no longer change"
    )
    return f"Not converged after {sweeps} sweep{'s' if sweeps != 1 else ''}: {swing}.{more}"
