"""Oracles that go through a list, as films: exhaustive search to the top, the known approximation down.

    known approximation: the first labelling in the order of scores with  score <= rho x best score

Cost: that of exhaustive search.
"""

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.exhaustive import top_labellings
from explorer.engine.vectors import Ints
from explorer.labs.fields.film import FieldFilm, FieldRequest, FieldStep, node_words, score_of
from explorer.labs.film import MOST_STEPS, Curves, Film

SHOWN = 20
"""Labellings that exhaustive search shows, the best first."""


def exhaustive_film(asked: FieldRequest) -> FieldFilm:
    """Those that come close, and at last the best labelling."""
    field, labels = asked.question, asked.labels
    rows = top_labellings(field, SHOWN)
    rows = np.concatenate([labels[None], rows[(rows != labels).any(axis=1)]])[:SHOWN]
    steps = [_place(field, rows, k) for k in range(len(rows) - 1, -1, -1)]
    lead = steps[-1].value - steps[-2].value if len(steps) > 1 else 0.0
    verdict = (
        f"All {field.states ** len(field.unary):,} labellings were tried; the best one leads by {lead:.4g}."
    )
    return Film(asked.reply.title, tuple(steps), _scores(steps, steps[-1].value, "best score"), verdict)


def approximate_film(asked: FieldRequest) -> FieldFilm:
    """From the best labelling down to the first one that is bad enough; the answer is the last step."""
    field, rho, best, score = asked.question, asked.oracle.rho, asked.reply.bound, asked.reply.score
    limit, rows = rho * best, top_labellings(field, MOST_STEPS)
    above = [k for k in range(len(rows)) if score_of(field, rows[k]) > limit]
    steps = [_place(field, rows, k, f" Above the limit {limit:.4g}: not taken.") for k in above]
    says = f"{rho:g} x {best:.4g} = {limit:.4g} is the limit; the answer scores {score:.4g}."
    changed = np.flatnonzero(asked.labels != rows[0])
    steps.append(FieldStep(says, asked.labels, score, changed=changed))
    missed = f"It misses the best labelling at {node_words(changed)}, on purpose."
    verdict = missed if len(changed) else "It is the best one."
    return Film(asked.reply.title, tuple(steps), _scores(steps, limit, "limit"), verdict)


def _place(field: Fields, rows: Ints, k: int, more: str = "") -> FieldStep:
    """The labelling in place k + 1, and where it differs from the best."""
    changed = np.flatnonzero(rows[k] != rows[0])
    score = score_of(field, rows[k])
    where = f", other than the best at {node_words(changed)}" if k else ""
    return FieldStep(f"Place {k + 1}: score {score:.4g}{where}.{more}", rows[k], score, changed=changed)


def _scores(steps: list[FieldStep], level: float, called: str) -> Curves:
    return Curves("step", "score", ("score",), np.array([[step.value] for step in steps]), level, called)
