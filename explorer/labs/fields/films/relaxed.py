"""Relaxed oracles and branch and bound as films: what a linear program answers, and how far that is from a
labelling.

    integrality gap = bound - best score,
        0 where the relaxation is tight: then its answer proves a best labelling

The linear program shows its size, its shares and their rounding. The fast relaxation shows how its bound
falls and its labelling rises, sweep after sweep, until they meet or only mixed states are left between them.
Branch and bound shows what the relaxation leaves open, and what the search makes of it. Cost: that of the
oracle, a few times.
"""

from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import Fields, unflattened
from explorer.engine.structures.fields.oracles.relaxation import Relaxation
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import NONE, SURE, Film, Request, Step, Track, listed, score_of, score_track

FEW = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
"""Sweeps after which the fast relaxation is looked at."""


def relaxed_film(asked: Request) -> Film:
    """A relaxed answer: its shares and its bound, then what rounding makes of it."""
    half = open_nodes(asked.shares)
    bound, score, top = asked.bound, asked.score, asked.top
    steps = []
    if len(half):
        sure = np.setdiff1d(np.arange(len(asked.labels)), half)
        right = int((asked.labels[sure] == asked.target[sure]).sum())
        says = (
            f"{listed(half)} {'have' if len(half) > 1 else 'has'} shares of several states; of the other "
            f"{len(sure)} nodes "
            f"{right} are as in the best known labelling. The shares are worth {bound:.4g}."
        )
        steps.append(Step(says[:1].upper() + says[1:], asked.labels, score, shares=asked.shares))
    rounded = len(half) or bound - score > 1e-6 * max(1.0, abs(score))
    says = f"{'Rounded to whole states' if rounded else 'Every node has a single state'}: score {score:.4g}."
    steps.append(Step(says, asked.labels, score))
    gap = bound - top
    tight = f"The bound {bound:.4g} is reached: the answer to the relaxed problem proves the best labelling."
    loose = f"Integrality gap: the bound {bound:.4g} minus the best known score {top:.4g} is {gap:.4g}."
    values = np.array([[score if step.shares is None else bound] for step in steps])
    track = Track("step", "value", ("value",), values, top, "best known score")
    return Film(asked.name, tuple(steps), track, tight if gap <= 1e-6 * max(1.0, abs(top)) else loose)


def open_nodes(shares: Array | None) -> Ints:
    """The nodes without a single state."""
    return NONE if shares is None else np.flatnonzero(shares.max(axis=1) < 1.0 - SURE)


def program_film(asked: Request) -> Film:
    """The program, its optimum, and the optimum rounded."""
    end, field = relaxed_film(asked), asked.field
    (m, K), e = field.unary.shape, len(field.ends)
    own = np.argmax(field.unary, axis=1).astype(np.int64)
    says = (
        f"Every node gets shares of its {K} states, every edge shares of its {K * K} pairs: "
        f"{m * K + e * K * K:,} variables, "
        f"tied by {m + 2 * e * K:,} equalities. Without the edges every node would take its own best state."
    )
    first = Step(says, own, score_of(field, own))
    values = [
        [first.score],
        *[[asked.bound if step.shares is not None else step.score] for step in end.steps],
    ]
    return Film(
        asked.name,
        (first, *end.steps),
        Track("step", "value", ("value",), np.array(values), asked.top, "best known score"),
        end.verdict,
    )


def relaxation_film(asked: Request) -> Film:
    """Bound and labelling after a few sweeps, and the answer."""
    end, field, oracle = relaxed_film(asked), asked.field, asked.oracle
    steps, values = [], []
    for sweeps in (k for k in FEW if k < oracle.sweeps):
        found = Relaxation(sweeps, 0, oracle.tolerance).solve(field)
        score, bound = score_of(field, found.labels), float(found.bound[0])
        after = f"After {sweeps} sweep{'s' if sweeps > 1 else ''}"
        says = f"{after} no labelling can score more than {bound:.5g}; the one found scores {score:.5g}."
        steps.append(Step(says, found.labels, score, shares=shares_of(field, found)))
        values.append([bound, score])
        if bound - score <= oracle.tolerance * max(1.0, abs(bound)) or (
            len(values) > 1 and values[-1] == values[-2]
        ):
            break
    values += [[asked.bound, step.score] for step in end.steps]
    track = Track("step", "score", ("bound", "labelling"), np.array(values), asked.top, "best known score")
    return Film(asked.name, (*steps, *end.steps), track, end.verdict)


def branch_film(asked: Request) -> Film:
    """What the relaxation leaves open, and the answer of the search."""
    field = asked.field
    relaxed = Relaxation().solve(field)
    shares, looked = shares_of(field, relaxed), int(asked.oracle.searched(field)[1][0])
    bound = float(relaxed.bound[0])
    if shares is None:
        says = f"The relaxation is tight: score {asked.score:.5g}, and no subproblem had to be searched."
        step = Step(says, asked.labels, asked.score)
        return Film(asked.name, (step,), score_track([step], asked.top, "step"), "No labelling is better.")
    half = open_nodes(shares)
    says = (
        f"The relaxation leaves {listed(half)} open and promises at most {bound:.5g}: there the search "
        "begins."
    )
    steps = (
        Step(says, relaxed.labels, score_of(field, relaxed.labels), shares=shares, changed=half),
        Step(
            f"After {looked:,} subproblems nothing better can be left: score {asked.score:.5g}.",
            asked.labels,
            asked.score,
        ),
    )
    values = np.array([[bound], [asked.score]])
    track = Track("step", "bound", ("bound",), values, asked.score, "best score")
    return Film(
        asked.name,
        steps,
        track,
        f"{looked:,} subproblems instead of {field.states}^{len(field.unary)} labellings.",
    )


def shares_of(field: Fields, solved: Any) -> Array | None:
    """The node shares (m, K) of a fractional answer."""
    found = solved.fractions.get(0)
    return None if found is None else unflattened(found, len(field.unary), field.states)[0]
