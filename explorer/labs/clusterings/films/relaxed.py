"""The triangle relaxation as a film, its rounding, and the integer program that branches on it.

    e_ij + e_ik - e_jk <= 1        broken where i is with j and with k more than j is with k

Each round solves the linear program with the triangles added so far; the value falls towards that of the best
clustering, and the shares become whole where it is reached. Rounding (Finley 2009, algorithm 5) puts every
item that is still alone with the first one whose share is above a threshold. Cost: that of the clusterer.
"""

import time

import numpy as np

from explorer.engine.structures.clusterings.oracles import TriangleRelaxation
from explorer.engine.structures.clusterings.oracles.integer_program import Search
from explorer.engine.structures.clusterings.partitions import canonical, pair_matrix
from explorer.engine.vectors import Array, Ints
from explorer.labs.clusterings.comparison import whole_clustering
from explorer.labs.clusterings.film import (
    ClusterFilm,
    ClusterRequest,
    ClusterStep,
    block_words,
    cluster_words,
    fractional_pairs,
)
from explorer.labs.compare import LIMIT
from explorer.labs.film import SURE, Curves, Film
from explorer.wording import quantity

CALLED = "shares e"
MOST_TOLD = 4
"""Broken triangles that are listed in a sentence at most."""

MOST_BRANCHES = 100


def rounds(asked: ClusterRequest) -> list[ClusterStep]:
    """One step for every linear program."""
    steps: list[ClusterStep] = []
    for n, (shares, triangles, value) in enumerate(TriangleRelaxation().rounds(asked.question)):
        e = pair_matrix(shares, asked.question.m, diagonal=1.0)
        hard = whole_clustering(e) if not len(triangles) else None
        labels = np.arange(asked.question.m) if hard is None else hard
        fractional = f"{quantity(fractional_pairs(e), 'pair')} fractional".replace("0 pairs", "no pair")
        where = "Without triangles" if n == 0 else f"Round {n}"
        says = (
            f"{where}: {asked.what} {value:.4g}, {fractional}. {broken_words(e, triangles, asked.case.names)}"
        )
        steps.append(ClusterStep(says, labels, value, e, CALLED, triangles=triangles))
    return steps


def broken_words(e: Array, triangles: Ints, names: tuple[str, ...]) -> str:
    """The broken triangles in words, each with its sum."""
    if not len(triangles):
        return "No triangle is broken."
    parts = []
    for i, j, k in triangles[:MOST_TOLD]:
        total = f"{share(e[i, j])} + {share(e[i, k])} − {share(e[j, k])} > 1"
        parts.append(f"{names[i]} with {names[j]} and {names[k]} ({total})")
    more = f" and {len(triangles) - MOST_TOLD} more" if len(triangles) > MOST_TOLD else ""
    return f"Broken, and added: {', '.join(parts)}{more}."


def share(value: float) -> str:
    """A share, without the signs of rounding."""
    return f"{value:.2g}" if abs(value) >= SURE else "0"


def above_best(asked: ClusterRequest, value: float) -> str:
    """How far a relaxed value is above the best clustering."""
    return f"{value - asked.top:.4g} above the best {'' if asked.compared.proven else 'known '}clustering."


def relaxed_film(asked: ClusterRequest) -> ClusterFilm:
    """One round per step."""
    steps = rounds(asked)
    last = steps[-1]
    verdict = (
        f"The shares are whole, so {cluster_words(last.labels, asked.case.names)} is the best clustering."
    )
    if fractional_pairs(last.shares):
        verdict = f"The shares stay fractional: {above_best(asked, last.value)}"
    return Film(asked.reply.title, tuple(steps), asked.curves(steps, "round"), verdict)


def rounded_film(asked: ClusterRequest) -> ClusterFilm:
    """The relaxation's last round, then one item that joins per step."""
    put, names, limit, last = asked.question, asked.case.names, asked.oracle.threshold, rounds(asked)[-1]
    e, labels = last.shares, np.arange(put.m)
    assert e is not None, "rounds have shares"
    begun = put.value(labels)
    steps = [
        ClusterStep(f"The relaxation: {last.says} Every item begins alone.", labels, last.value, e, CALLED)
    ]
    near = (e > limit) & ~np.eye(put.m, dtype=bool)
    for x in range(put.m):
        if not near[x].any() or np.count_nonzero(labels == labels[x]) > 1:
            continue
        other = int(np.argmax(near[x]))
        joined = block_words(np.flatnonzero(labels == labels[other]), names)
        labels = np.where(np.arange(put.m) == x, labels[other], labels)
        value = put.value(canonical(labels))
        says = f"{names[x]} is alone, and the first share of it above {limit:g} is with {names[other]}, "
        says += f"{share(e[x, other])}: it joins {joined}; {asked.what} {value:.4g}."
        steps.append(ClusterStep(says, canonical(labels), value, e, CALLED, changed=np.array([x])))
    if len(steps) == 1:
        says = f"No share is above {limit:g}: all items stay alone, {asked.what} {begun:.4g}."
        steps.append(ClusterStep(says, labels, begun, e, CALLED))
    values = np.array([begun, *(step.value for step in steps[1:])])[:, None]
    curves = Curves("step", asked.what, (asked.what,), values, asked.top, asked.best)
    return Film(asked.reply.title, tuple(steps), curves, asked.verdict(steps[-1].value))


def branches_film(asked: ClusterRequest) -> ClusterFilm:
    """One branch per step: the best clustering seen, and what none can exceed."""
    constant, K = asked.question.fold() or (0.0, asked.question.K)
    search, ends = Search(K), time.monotonic() + LIMIT
    begun = constant + search.most
    says = f"To begin with, single items moved while one gained: {asked.what} {begun:.4g}."
    steps, values = [ClusterStep(says, search.best, begun)], [[begun, np.nan]]
    while search.open and time.monotonic() < ends and len(steps) <= MOST_BRANCHES:
        before = search.most
        search.branch()
        best, bound, e = constant + search.most, constant + search.bound, search.program.matrix()
        better = "a better clustering, " if search.most > before + 1e-9 else "the best is still "
        count = quantity(len(search.open), "branch").replace("branchs", "branches")
        left = f"{count} left, none above {bound:.4g}"
        fraction = f"{quantity(fractional_pairs(e), 'fractional pair')} in its program"
        says = f"Branch {len(steps)}, {fraction}: {better}{asked.what} {best:.4g}; {left}."
        steps.append(ClusterStep(says, search.best, best, e, CALLED))
        values.append([best, bound])
    proof = "No branch is left: proven." if not search.open else "The search was cut short."
    curves = Curves("branch", asked.what, ("best seen", "bound"), np.array(values))
    return Film(asked.reply.title, tuple(steps), curves, f"{proof} {asked.verdict(steps[-1].value)}")
