"""Viterbi's recursion, cell by cell: T K cells forward, then T cells back (degree thesis, algorithm 3.4).

chi[t, s]   = unary[t, s] + max_a (chi[t-1, a] + trans[a, s]),   zeta[t, s] = the a that attains it
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.views.trellis.frame import TrellisFrame, position_of


@dataclass(frozen=True, slots=True, eq=False)
class RecursionMove:
    """One move of the recursion at (t, s): the sums it chooses from, if any, and the state it chooses.

    Going back, s is the state just found at t, and `origin` the state at t + 1 that pointed to it, -1 at the
    end.
    """

    t: int
    s: int
    back: bool
    options: Array
    origin: int


def cells(shown: TrellisFrame) -> int:
    """How many moves the recursion has: T K forward and T back."""
    return shown.shown.unary.size + shown.length


def best_path(shown: TrellisFrame) -> Ints:
    """The path that the tables of the shown trellis trace back."""
    path = np.empty(shown.length, dtype=np.int64)
    path[-1] = int(np.argmax(shown.chi[-1] + shown.shown.stop))
    for t in range(shown.length - 1, 0, -1):
        path[t - 1] = shown.zeta[t, path[t]]
    return path


def current(shown: TrellisFrame) -> RecursionMove | None:
    """The move under way; None when the animation is off."""
    if shown.cell < 0:
        return None
    length, states = shown.shown.unary.shape
    t = position_of(shown.cell, length, states)
    if shown.cell < length * states:
        s = shown.cell % states
        options = shown.chi[t - 1] + shown.shown.trans[:, s] if t else np.zeros(0)
        return RecursionMove(t, s, False, options, int(shown.zeta[t, s]))
    path = best_path(shown)
    options = shown.chi[-1] + shown.shown.stop if t == length - 1 else np.zeros(0)
    return RecursionMove(t, int(path[t]), True, options, -1 if t == length - 1 else int(path[t + 1]))


def decimals(shown: TrellisFrame) -> int:
    """How many digits after the point tell the scores apart."""
    parts = np.concatenate([shown.shown.unary.ravel(), shown.shown.trans.ravel()])
    largest = float(np.abs(parts[np.isfinite(parts)]).max(initial=0.0))
    return 2 if largest == 0 or largest >= 1 else min(6, 2 - int(np.floor(np.log10(largest))))


def survivors(shown: TrellisFrame) -> dict[str, Ints]:
    """The window's back pointers that the recursion has found so far."""
    now, states = current(shown), len(shown.states)
    done = 0 if now is None else (shown.length * states if now.back else shown.cell)
    t, s = (part.ravel() for part in np.mgrid[shown.lo + 1 : shown.hi, 0:states])
    keep = t * states + s < done
    return {"t": t[keep], "from": shown.zeta[t[keep], s[keep]], "to": s[keep]}
