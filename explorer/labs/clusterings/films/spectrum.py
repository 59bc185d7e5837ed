"""The spectral relaxation as a film: the eigenvalues and their gap, the relaxed co-membership Y Y', and its
rounding.

    bound = lambda_1 + ... + lambda_k (+ the loss's constant)      gap at k = lambda_k - lambda_(k + 1)

A wide gap means that Y Y' is nearly a co-membership, and the rounding has little to decide. Cost: one
eigenproblem.
"""

import numpy as np

from explorer.engine.structures.clusterings.oracles import Iterative, Spectral
from explorer.engine.structures.clusterings.partitions import canonical, indicator
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array
from explorer.labs.clusterings.film import Bars, Film, Lines, Request, Step, missing, told
from explorer.labs.clusterings.films.moves import moves_film

CALLED = "relaxed co-membership Y Y'"


def spectrum_steps(asked: Request) -> tuple[list[Step], Bars, Array]:
    """The eigenvalues and the co-membership they give."""
    put = asked.question
    values, vectors = Spectral().spectrum(put)
    k, constant = put.groups or 1, (put.folded() or (0.0, put.K))[0]
    Y = vectors[:, :k]
    bound, shares, alone = constant + float(values[:k].sum()), Y @ Y.T, np.arange(put.m)
    total = " + ".join(f"{v:.3g}" for v in values[:k]) if k <= 6 else f"the {k} largest eigenvalues"
    plus = f" {constant:+.4g} of the loss" if put.asks_loss else ""
    says = (
        f"The k = {k} largest eigenvalues of K add up to {total}{plus} = {bound:.4g}: no clustering has "
        f"a higher {asked.what}."
    )
    gap = float(values[k - 1] - values[k]) if k < put.m else float("nan")
    width = f"the gap behind eigenvalue {k} is {gap:.4g}" if k < put.m else "there is no further eigenvalue"
    also = (
        f"Their eigenvectors give Y Y', a co-membership with entries from {shares.min():.2g} to "
        f"{shares.max():.2g}; {width}."
    )
    names = tuple(str(n) for n in range(1, put.m + 1))
    note = f"Eigenvalues, the largest first; the first {k} are used; {width}."
    steps = [Step(says, alone, bound), Step(also, alone, bound, shares, CALLED)]
    return steps, Bars("eigenvalue", "size", names, values, k, note), shares


def spectral_film(asked: Request) -> Film:
    """Eigenvalues, then Y Y'; the answer stays relaxed."""
    steps, bars, _ = spectrum_steps(asked)
    above = steps[-1].value - asked.top
    verdict = (
        f"Relaxed: {above:.4g} above the best {'' if asked.proven else 'known '}clustering."
        if np.isfinite(above)
        else ""
    )
    return Film(asked.oracle.title, tuple(steps), bars, verdict)


def discrete_film(asked: Request) -> Film:
    """Eigenvalues, Y Y', then single items moved on Y Y' until nothing moves."""
    put, oracle = asked.question, asked.oracle
    steps, _, shares = spectrum_steps(asked)
    mover = Iterative(oracle.restarts, oracle.seed)
    rounding = moves_film(
        Request(mover, Question(shares, put.groups), asked.names, None, float("nan"), False)
    )
    values = [[np.nan]] * len(steps)
    for one in rounding.steps:
        value = put.value(one.labels)
        says = f"Rounding, on Y Y': {one.says} There the {asked.what} under K is {value:.4g}."
        steps.append(Step(says, one.labels, value, shares, CALLED, one.changed))
        values.append([value])
    labels = canonical(steps[-1].labels)
    near = float(np.linalg.norm(shares - _co(labels)))
    verdict = (
        f"{told(labels, asked.names)} is at distance {near:.3g} from Y Y'. {missing(asked, steps[-1].value)}"
    )
    known = f"best {'' if asked.proven else 'known '}{asked.what}"
    lines = Lines("step", f"{asked.what} under K", (asked.what,), np.array(values), asked.top, known)
    return Film(oracle.title, tuple(steps), lines, verdict)


def _co(labels: Array) -> Array:
    Y = indicator(labels)
    return Y @ Y.T
