"""The trellis of one example as plain arrays: scores, three paths, the k best, and Viterbi cell by cell.

    score(y)    = start[y_0] + sum_t unary[t, y_t] + sum_{t>=1} trans[y_{t-1}, y_t] + stop[y_{T-1}]
    chi[t, s]   = unary[t, s] + max_a (chi[t-1, a] + trans[a, s]),   zeta[t, s] = the a that attains it
    price[t, s] = max { score(y) : y_t = s } - max_y score(y)       the min-marginal: 0 on the best path

With the loss, unary[t, s] grows by the cost of s against the truth: the best path is then the most tempting
labelling (degree thesis, section 3.2.1). The recursion is algorithm 3.4 there: T K cells forward, then T
cells back. An edit adds to one unary score. Cost O(T K^2) for all but the k best, O(T K^2 k) for those.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Decomposes
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.kernels.k_best import k_best
from explorer.engine.structures.chains.kernels.viterbi import augment
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.chain_tables import labellings, tables
from explorer.views.kit.words.label_words import state_names

WINDOW = 25
"""This many positions are shown at once."""
MOST_EDGES = 6000
"""At most this many edges are drawn; the weakest are left out."""
Node = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class TrellisFrame:
    """One example's trellis. `plain` has the edits, `shown` also the loss if it is asked for and possible."""

    step: int | None
    phase: int
    name: str
    example: int
    examples: int
    states: tuple[str, ...]
    tokens: tuple[str, ...]
    base: Array
    plain: Chains
    shown: Chains
    truth: Ints
    guess: Ints
    rival: Ints
    before: Ints
    loss: float
    violation: float
    with_loss: bool
    no_loss_because: str
    edits: Mapping[Node, float]
    chi: Array
    zeta: Ints
    price: Array
    paths: Ints
    path_scores: Array
    lo: int
    hi: int
    cell: int

    @property
    def length(self) -> int:
        """T: how many positions the example has."""
        return len(self.truth)

    @property
    def wrong(self) -> Ints:
        """The positions at which the prediction is not the truth."""
        return np.flatnonzero(self.guess != self.truth)

    @property
    def long(self) -> bool:
        """Whether only a part of the positions is shown."""
        return self.length > WINDOW


def frame(
    chain: Chain,
    trace: Trace,
    at: int,
    example: int = 0,
    name: str = "Example",
    *,
    edits: Mapping[Node, float] | None = None,
    k: int = 0,
    with_loss: bool = False,
    window: int = 0,
    cell: int = -1,
    phase: int = 0,
) -> TrellisFrame:
    """The trellis of an example at the weights of step `at`; at w = 0 while nothing is trained."""
    i = min(max(0, example), chain.n - 1)
    w = trace.at(min(at, len(trace) - 1)).w if len(trace) else np.zeros(chain.dim)
    unedited = chain.chains(w, i, i + 1)
    edits = _valid(edits or {}, unedited.unary.shape)
    plain = _apply_edits(unedited, edits)
    truth, guess, rival = labellings(chain, i, plain)
    because = _no_loss_because(chain)
    raised = with_loss and not because
    shown = _add_loss(plain, truth, chain.delta) if raised else plain
    loss = float(chain.delta.value(truth, rival))
    margin = float(plain.scores(truth)[0] - plain.scores(rival)[0])
    chi, zeta, price = tables(shown)
    paths, path_scores = _best_paths(shown, k)
    cell = min(cell, shown.unary.size + len(truth) - 1)
    lo, hi = _window(window, cell, *shown.unary.shape)
    return TrellisFrame(
        step=min(at, len(trace) - 1) if len(trace) else None,
        phase=phase,
        name=name,
        example=i,
        examples=chain.n,
        states=state_names(chain.dataset, chain.states),
        tokens=_tokens(chain.dataset.meta, i),
        base=unedited.unary,
        plain=plain,
        shown=shown,
        truth=truth,
        guess=guess,
        rival=rival,
        before=chain.predictor.best(unedited) if edits else guess,
        loss=loss,
        violation=float(chain.pricing.violation(margin, loss)),
        with_loss=raised,
        no_loss_because=because,
        edits=edits,
        chi=chi,
        zeta=zeta,
        price=price,
        paths=paths,
        path_scores=path_scores,
        lo=lo,
        hi=hi,
        cell=cell,
    )


def _valid(edits: Mapping[Node, float], shape: tuple[int, ...]) -> Mapping[Node, float]:
    """The edits that change something inside the trellis."""
    return {(t, s): d for (t, s), d in edits.items() if d and 0 <= t < shape[0] and 0 <= s < shape[1]}


def _tokens(meta: Mapping[str, Any], i: int) -> tuple[str, ...]:
    words = meta.get("words")
    return tuple(str(word) for word in words[i]) if words is not None and i < len(words) else ()


def _apply_edits(chains: Chains, edits: Mapping[Node, float]) -> Chains:
    """The same trellis with the edits added; the original is not touched."""
    unary = chains.unary.copy()
    for node, delta in edits.items():
        unary[node] += delta
    return replace(chains, unary=unary)


def _no_loss_because(problem: Any) -> str:
    """Why the loss cannot be added to the nodes; empty when it can."""
    if not isinstance(problem.delta, Decomposes):
        return "This loss is not a sum over positions, so it cannot be added to the nodes."
    if not problem.pricing.adds_up:
        return "Only under margin scaling with linear slacks does the loss add to the nodes."
    return ""


def _add_loss(chains: Chains, truth: Ints, delta: Any) -> Chains:
    """The loss-augmented trellis."""
    out = np.empty_like(chains.unary)
    factor = np.array([1.0 / len(truth) if delta.normalised else 1.0])
    augment(chains.unary, chains.offsets, truth, delta.costs(len(chains.trans)), out, factor)
    return replace(chains, unary=out)


def _best_paths(chains: Chains, k: int) -> tuple[Ints, Array]:
    """The k best paths, or as many as there are, best first."""
    scores, paths = np.empty(k), np.empty((k, len(chains.unary)), dtype=np.int64)
    if k == 0:
        return paths, scores
    found = k_best(chains.unary, chains.trans, chains.start, chains.stop, k, scores, paths)
    return paths[:found], scores[:found]


def _window(start: int, cell: int, length: int, states: int) -> tuple[int, int]:
    """First and one past the last position shown: the chosen window, turned like a page to hold the cell."""
    lo = min(max(0, start), max(0, length - WINDOW))
    if cell >= 0:
        t, margin = position_of(cell, length, states), 3
        if t >= lo + WINDOW or (t == lo and t > 0):
            going_back = cell >= length * states
            lo = t + margin - WINDOW if going_back else t - margin
        elif t < lo:
            lo = t - margin
        lo = min(max(0, lo), max(0, length - WINDOW))
    return lo, min(length, lo + WINDOW)


def position_of(cell: int, length: int, states: int) -> int:
    """The position of a move of the recursion: forward through all cells, then back through the positions."""
    return cell // states if cell < length * states else length - 1 - (cell - length * states)


def strengths(values: Array) -> Array:
    """Values as 0 (weakest) to 1 (strongest); equal ones are all 0.3, impossible ones 0."""
    fine = np.isfinite(values)
    if not fine.any():
        return np.zeros(values.shape)
    low, high = values[fine].min(), values[fine].max()
    scaled = (values - low) / (high - low) if high > low else np.full(values.shape, 0.3)
    return np.where(fine, scaled, 0.0)


def edge_count(shown: TrellisFrame) -> int:
    """How many edges lie in the window."""
    return max(0, shown.hi - shown.lo - 1) * len(shown.states) ** 2


def edges(shown: TrellisFrame, prices: bool = False, most: int = MOST_EDGES) -> dict[str, Array | Ints]:
    """The window's strongest edges (t - 1, a) to (t, b): trans + node score, or the price of forcing them."""
    t = np.arange(shown.lo + 1, shown.hi)
    trans, unary = shown.shown.trans, shown.shown.unary
    value = np.broadcast_to(trans + unary[t][:, None, :], (len(t), *trans.shape))
    if prices:
        # Everything of the best path through (t, b) but its prefix, which now has to come from a.
        suffix = shown.price[t] - (shown.chi[t] - unary[t])
        value = shown.chi[t - 1][:, :, None] + trans + suffix[:, None, :]
    flat = value.ravel()
    keep = np.flatnonzero(np.isfinite(flat))
    if len(keep) > most:
        keep = np.sort(keep[np.argpartition(-flat[keep], most - 1)[:most]])
    step, a, b = np.unravel_index(keep, value.shape)
    ends = {"from": a.astype(np.int64), "to": b.astype(np.int64)}
    return {"t": t[step].astype(np.int64), **ends, "value": flat[keep]}
