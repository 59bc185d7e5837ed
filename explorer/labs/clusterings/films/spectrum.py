"""The spectral relaxation as a film: the eigenvalues and their gap, the relaxed co-membership, its rounding.

    bound = lambda_1 + ... + lambda_k (+ the loss's constant)      gap at k = lambda_k - lambda_(k + 1)

A wide gap means that Y Y' is nearly a co-membership, and the rounding has little to decide. Cost: one
eigenproblem.
"""

from dataclasses import replace

import numpy as np

from explorer.engine.structures.clusterings.oracles import Iterative, Spectral
from explorer.engine.structures.clusterings.partitions import canonical, indicator
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array
from explorer.labs.clusterings.film import ClusterFilm, ClusterRequest, ClusterStep, cluster_words
from explorer.labs.clusterings.films.moves import move_steps
from explorer.labs.clusterings.films.relaxed import above_best
from explorer.labs.film import Curves, Film, ValueBars

CALLED = "relaxed co-membership Y Y'"


def spectrum_steps(asked: ClusterRequest) -> tuple[list[ClusterStep], ValueBars, Array]:
    """The eigenvalues and the co-membership they give."""
    put = asked.question
    values, vectors = Spectral().spectrum(put)
    k, constant = put.groups or 1, (put.fold() or (0.0, put.K))[0]
    Y = vectors[:, :k]
    bound, shares, alone = constant + float(values[:k].sum()), Y @ Y.T, np.arange(put.m)
    total = " + ".join(f"{v:.3g}" for v in values[:k]) if k <= 6 else f"the {k} largest eigenvalues"
    plus = f" {constant:+.4g} of the loss" if put.asks_loss else ""
    says = f"The k = {k} largest eigenvalues of K add up to {total}{plus} = {bound:.4g}: "
    says += f"no clustering has a higher {asked.what}."
    width = "there is no further eigenvalue"
    if k < put.m:
        width = f"the gap behind eigenvalue {k} is {float(values[k - 1] - values[k]):.4g}"
    entries = f"entries from {shares.min():.2g} to {shares.max():.2g}"
    also = f"Their eigenvectors give Y Y', a co-membership with {entries}; {width}."
    names = tuple(str(n) for n in range(1, put.m + 1))
    note = f"Eigenvalues, the largest first; the first {k} are used; {width}."
    steps = [ClusterStep(says, alone, bound), ClusterStep(also, alone, bound, shares, CALLED)]
    return steps, ValueBars("eigenvalue", "size", names, values, k, note), shares


def spectral_film(asked: ClusterRequest) -> ClusterFilm:
    """Eigenvalues, then Y Y'; the answer stays relaxed."""
    steps, bars, _ = spectrum_steps(asked)
    verdict = f"Relaxed: {above_best(asked, steps[-1].value)}" if np.isfinite(asked.top) else ""
    return Film(asked.reply.title, tuple(steps), bars, verdict)


def discrete_film(asked: ClusterRequest) -> ClusterFilm:
    """Eigenvalues, Y Y', then single items moved on Y Y' until nothing moves."""
    put, oracle, what = asked.question, asked.oracle, asked.what
    steps, _, shares = spectrum_steps(asked)
    compared = replace(asked.compared, question=Question(shares, put.groups), what="score")
    values = [np.nan] * len(steps)
    for one in move_steps(replace(asked, oracle=Iterative(oracle.restarts, oracle.seed), compared=compared)):
        value = put.value(one.labels)
        says = f"Rounding, on Y Y': {one.says} There the {what} under K is {value:.4g}."
        steps.append(ClusterStep(says, one.labels, value, shares, CALLED, one.changed))
        values.append(value)
    labels = canonical(steps[-1].labels)
    Y, found = indicator(labels), cluster_words(labels, asked.case.names)
    near = f"{found} is at distance {float(np.linalg.norm(shares - Y @ Y.T)):.3g} from Y Y'"
    curves = Curves("step", f"{what} under K", (what,), np.array(values)[:, None], asked.top, asked.best)
    return Film(asked.reply.title, tuple(steps), curves, f"{near}. {asked.verdict(steps[-1].value)}")
