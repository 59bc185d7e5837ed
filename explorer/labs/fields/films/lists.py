"""Oracles that go through a list, as films: exhaustive search up to the top, the known approximation down to
its limit.

    known approximation: the first labelling in the order of scores with  score <= rho x best score

Cost: that of exhaustive search.
"""

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.vectors import Ints
from explorer.labs.fields.film import MOST_STEPS, Film, Request, Step, Track, listed, score_of
from explorer.labs.fields.ranks import top as best_labellings

SHOWN = 20
"""Labellings that exhaustive search shows, the best first."""


def exhaustive_film(asked: Request) -> Film:
    """Those that come close, and at last the best labelling."""
    field = asked.field
    rows = best_labellings(field, SHOWN)
    rows = np.concatenate([asked.labels[None], rows[(rows != asked.labels).any(axis=1)]])[:SHOWN]
    steps = [_place(field, rows, k) for k in range(len(rows) - 1, -1, -1)]
    lead = steps[-1].score - steps[-2].score if len(steps) > 1 else 0.0
    verdict = (
        f"All {field.states ** len(field.unary):,} labellings were tried; the best one leads by {lead:.4g}."
    )
    return Film(asked.name, tuple(steps), _scores(steps, steps[-1].score, "best score"), verdict)


def approximate_film(asked: Request) -> Film:
    """From the best labelling down to the first one that is bad enough; the answer is the last step."""
    field, rho = asked.field, asked.oracle.rho
    limit = rho * asked.bound
    rows = best_labellings(field, MOST_STEPS)
    above = [k for k in range(len(rows)) if score_of(field, rows[k]) > limit]
    steps = [_place(field, rows, k, f" Above the limit {limit:.4g}: not taken.") for k in above]
    says = f"{rho:g} x {asked.bound:.4g} = {limit:.4g} is the limit; the answer scores {asked.score:.4g}."
    changed = np.flatnonzero(asked.labels != rows[0])
    steps.append(Step(says, asked.labels, asked.score, changed=changed))
    verdict = (
        f"It misses the best labelling at {listed(changed)}, on purpose."
        if len(changed)
        else "It is the best one."
    )
    return Film(asked.name, tuple(steps), _scores(steps, limit, "limit"), verdict)


def _place(field: Fields, rows: Ints, k: int, more: str = "") -> Step:
    """The labelling in place k + 1, and where it differs from the best."""
    changed = np.flatnonzero(rows[k] != rows[0])
    score = score_of(field, rows[k])
    where = f", other than the best at {listed(changed)}" if k else ""
    return Step(f"Place {k + 1}: score {score:.4g}{where}.{more}", rows[k], score, changed=changed)


def _scores(steps: list[Step], level: float, called: str) -> Track:
    return Track("step", "score", ("score",), np.array([[step.score] for step in steps]), level, called)
