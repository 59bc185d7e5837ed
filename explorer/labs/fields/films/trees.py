"""Max-product on a tree as a film: every node tells its parent what is at stake below, the root decides.

Leaves first; the root's best total is the best score, and going back down every node takes the state that its
parent's choice was counted with. Cost O(m K^2) for each step.
"""

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.belief import beliefs_from
from explorer.engine.structures.fields.oracles.tree import downward_labels, upward_messages
from explorer.engine.vectors import Array
from explorer.labs.fields.film import FieldFilm, FieldRequest, FieldStep, node_words, own_best, score_of
from explorer.labs.fields.films.messages import arrows
from explorer.labs.film import Film

BELOW = "best score below"


def tree_film(asked: FieldRequest) -> FieldFilm:
    """Upwards one node per step, downwards all at once."""
    field, own = asked.question, own_best(asked.question)
    steps = [FieldStep("Nothing has been told: every node knows its own scores.", own, score_of(field, own))]
    messages = np.zeros((2 * len(field.ends), field.states))
    for row, messages in upward_messages(field):
        steps.append(_upwards(field, row, messages))
    labels = downward_labels(field, messages)
    total, changed = score_of(field, labels), np.flatnonzero(labels != own)
    says = f"From the root back down every node takes its state: score {total:.4g}. "
    says += f"{node_words(changed).capitalize()} gave way."
    steps.append(FieldStep(says, labels, total, None, changed, beliefs_from(field, messages), BELOW))
    verdict = "Two passes over the tree suffice: no labelling is better."
    return Film(asked.reply.title, tuple(steps), asked.curves(steps, "step"), verdict)


def _upwards(field: Fields, row: int, told: Array) -> FieldStep:
    """A node tells its parent; the step shows all that has been told so far."""
    node, parent = (int(field.ends[row // 2, side]) for side in (row % 2, 1 - row % 2))
    belief, best = beliefs_from(field, told), int(np.argmax(told[row]))
    labels = np.argmax(belief, axis=1).astype(np.int64)
    says = f"Node {node} tells node {parent}: below me {told[row, best]:.4g} can be had, if you take {best}."
    sent = np.flatnonzero(np.any(told != 0.0, axis=1))
    return FieldStep(
        says,
        labels,
        score_of(field, labels),
        changed=np.array([node]),
        values=belief,
        called=BELOW,
        arrows=arrows(field, told, sent),
    )
