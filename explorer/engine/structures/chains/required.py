"""Constrained decoding: labels that occur at most once, or must occur, anywhere in a sequence.

    best y  with  count(y, k) <= 1 for k in `once`,   count(y, k) >= 1 for k in `needed`

as asked of the arguments of a verb: one of each kind at most, and some kinds at least. A chain whose states
are (label, set of counted labels seen so far) knows all that matters, so Viterbi over them is exact; with m
counted labels there are K 2^m states (Punyakanok, Roth, Yih and Zimak 2005 solve the same by an integer
program). A labelling need not exist: then there is none. Cost O(T K^2 2^m).
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.vectors import Array, Ints

MOST_COUNTED = 8


@dataclass(frozen=True)
class Constraints:
    """Labels that may occur once at most, and labels that must occur."""

    once: frozenset[int] = frozenset()
    needed: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if len(self.once | self.needed) > MOST_COUNTED:
            raise Refused(f"{len(self.once | self.needed)} labels are counted; at most {MOST_COUNTED}")

    def allow(self, path: Ints) -> bool:
        """Whether a labelling keeps to them."""
        counts = np.bincount(path, minlength=1 + max(self.once | self.needed, default=0))
        return all(counts[k] <= 1 for k in self.once) and all(counts[k] >= 1 for k in self.needed)

    def best(self, chain: Chains) -> Ints | None:
        """The best labelling of one chain that keeps to them; None where there is none."""
        counted = sorted(self.once | self.needed)
        bit = {k: 1 << j for j, k in enumerate(counted)}
        score, back = self._tables(chain, bit, 1 << len(counted))
        last = score + chain.stop[:, None]
        wanted = sum(bit[k] for k in self.needed)
        last[:, [seen for seen in range(last.shape[1]) if seen & wanted != wanted]] = -np.inf
        k, seen = np.unravel_index(int(np.argmax(last)), last.shape)
        if last[k, seen] == -np.inf:
            return None
        path = [int(k)]
        for table in reversed(back):
            k, seen = table[k, seen]
            path.append(int(k))
        return np.array(path[::-1], dtype=np.int64)

    def _tables(self, chain: Chains, bit: dict[int, int], sets: int) -> tuple[Array, list[Ints]]:
        """The best score of every (label, seen set) at the last position, and the way to each."""
        states = chain.unary.shape[1]
        score = np.full((states, sets), -np.inf)
        for k in range(states):
            score[k, bit.get(k, 0)] = chain.start[k] + chain.unary[0, k]
        back = []
        for unary in chain.unary[1:]:
            into = score[:, None, :] + chain.trans[:, :, None]
            best, arg = into.max(axis=0), into.argmax(axis=0)
            after, way = np.full_like(score, -np.inf), np.zeros((states, sets, 2), dtype=np.int64)
            for k in range(states):
                for seen in range(sets):
                    if k in self.once and seen & bit[k]:
                        continue
                    to = seen | bit.get(k, 0)
                    if best[k, seen] + unary[k] > after[k, to]:
                        after[k, to], way[k, to] = best[k, seen] + unary[k], (arg[k, seen], seen)
            score = after
            back.append(way)
        return score, back
