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
from explorer.labs.clusterings.comparison import LIMIT, bound_of, whole
from explorer.labs.clusterings.film import SURE, Film, Lines, Request, Step, block, missing, told, value_lines
from explorer.wording import counted

CALLED = "shares e"
MOST_TOLD = 4
"""This many broken triangles are listed in a sentence."""

MOST_BRANCHES = 100


def rounds(asked: Request) -> list[Step]:
    """One step for every linear program."""
    steps: list[Step] = []
    for n, (shares, triangles, value) in enumerate(TriangleRelaxation().rounds(asked.question)):
        e = pair_matrix(shares, asked.question.m, diagonal=1.0)
        hard = whole(e) if not len(triangles) else None
        labels = np.arange(asked.question.m) if hard is None else hard
        step = Step("", labels, value, e, CALLED, triangles=triangles)
        fractional = (
            f"{counted(step.fractional, 'pair')} fractional" if step.fractional else "no pair fractional"
        )
        where = "Without triangles" if n == 0 else f"Round {n}"
        says = f"{where}: {asked.what} {value:.4g}, {fractional}. {broken(e, triangles, asked.names)}"
        steps.append(Step(says, labels, value, e, CALLED, triangles=triangles))
    return steps


def broken(e: Array, triangles: Ints, names: tuple[str, ...]) -> str:
    """The broken triangles in words, each with its sum."""
    if not len(triangles):
        return "No triangle is broken."
    parts = [
        f"{names[i]} with {names[j]} and {names[k]} ({share(e[i, j])} + {share(e[i, k])} − {share(e[j, k])} "
        "> 1)"
        for i, j, k in triangles[:MOST_TOLD]
    ]
    more = f" and {len(triangles) - MOST_TOLD} more" if len(triangles) > MOST_TOLD else ""
    return f"Broken, and added: {', '.join(parts)}{more}."


def share(value: float) -> str:
    """A share, without the signs of rounding."""
    return f"{value:.2g}" if abs(value) >= SURE else "0"


def relaxed_film(asked: Request) -> Film:
    """One round per step."""
    steps = rounds(asked)
    last = steps[-1]
    if last.fractional:
        above = last.value - asked.top
        verdict = (
            f"The shares stay fractional: {above:.4g} above the best "
            f"{'' if asked.proven else 'known '}clustering."
        )
    else:
        verdict = f"The shares are whole, so {told(last.labels, asked.names)} is the best clustering."
    return Film(asked.oracle.title, tuple(steps), value_lines(steps, asked, "round"), verdict)


def rounded_film(asked: Request) -> Film:
    """The relaxation's last round, then one item that joins per step."""
    put, names, limit = asked.question, asked.names, asked.oracle.threshold
    last = rounds(asked)[-1]
    e, labels = last.shares, np.arange(put.m)
    assert e is not None, "rounds have shares"
    start = put.value(labels)
    steps = [Step(f"The relaxation: {last.says} Every item begins alone.", labels, last.value, e, CALLED)]
    values = [start]
    near = (e > limit) & ~np.eye(put.m, dtype=bool)
    for x in range(put.m):
        if not near[x].any() or np.count_nonzero(labels == labels[x]) > 1:
            continue
        other = int(np.argmax(near[x]))
        joined = np.flatnonzero(labels == labels[other])
        labels = labels.copy()
        labels[x] = labels[other]
        value = put.value(canonical(labels))
        says = (
            f"{names[x]} is alone, and the first share of it above {limit:g} is with {names[other]}, "
            f"{share(e[x, other])}: "
        )
        says += f"it joins {block(joined, names)}; {asked.what} {value:.4g}."
        steps.append(Step(says, canonical(labels), value, e, CALLED, changed=np.array([x])))
        values.append(value)
    if len(steps) == 1:
        says = f"No share is above {limit:g}: all items stay alone, {asked.what} {start:.4g}."
        steps.append(Step(says, labels, start, e, CALLED))
        values.append(start)
    known = f"best {'' if asked.proven else 'known '}{asked.what}"
    lines = Lines("step", asked.what, (asked.what,), np.array(values)[:, None], asked.top, known)
    return Film(asked.oracle.title, tuple(steps), lines, missing(asked, steps[-1].value))


def branches_film(asked: Request) -> Film:
    """One branch per step: the best clustering seen, and what none can exceed."""
    constant, K = asked.question.folded() or (0.0, asked.question.K)
    search, ends = Search(K), time.monotonic() + LIMIT
    begun = constant + search.most
    says = f"To begin with, single items moved while one gained: {asked.what} {begun:.4g}."
    steps, values = [Step(says, search.best, begun)], [[begun, np.nan]]
    while search.open and time.monotonic() < ends and len(steps) <= MOST_BRANCHES:
        before = search.most
        search.branch()
        best, bound = constant + search.most, constant + bound_of(search)
        e = search.program.matrix()
        shown = Step("", search.best, best, e, CALLED)
        better = "a better clustering, " if search.most > before + 1e-9 else "the best is still "
        left = (
            f"{counted(len(search.open), 'branch').replace('branchs', 'branches')} left, none above "
            f"{bound:.4g}"
        )
        fraction = f"{counted(shown.fractional, 'fractional pair')} in its program"
        says = f"Branch {len(steps)}, {fraction}: {better}{asked.what} {best:.4g}; {left}."
        steps.append(Step(says, search.best, best, e, CALLED))
        values.append([best, bound])
    proof = "No branch is left: proven." if not search.open else "The search was cut short."
    lines = Lines("branch", asked.what, ("best seen", "bound"), np.array(values), float("nan"), "")
    return Film(asked.oracle.title, tuple(steps), lines, f"{proof} {missing(asked, steps[-1].value)}")
