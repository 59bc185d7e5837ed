"""Which states may follow each other: tags of entities are well formed, whatever the scores say.

In the B-I-O scheme I-X goes on with an entity X, so it may only stand behind B-X or I-X, never first. A
decoder that gives forbidden moves the score -inf answers the best well-formed labelling, at the price of
plain Viterbi.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.vectors import Array, Ints

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The states that may come first, and those that may follow each state."""

    first: Mask
    after: Mask

    @classmethod
    def well_formed(cls, states: Sequence[str]) -> Self:
        """Those of the B-I-O scheme; refused where the states are no such tags."""
        if not any(name.startswith("B-") for name in states) or "O" not in states:
            named = ", ".join(states[:4])
            raise Refused(
                f"the states {named} ... are no tags of the B-I-O scheme; leave decoding at any tags"
            )
        kinds = [name[2:] if name.startswith("I-") else "" for name in states]
        begun = [{f"B-{kind}", f"I-{kind}"} for kind in kinds]
        first = np.array([not kind for kind in kinds])
        after = [[not kind or name in b for kind, b in zip(kinds, begun, strict=True)] for name in states]
        return cls(first, np.array(after))

    def only(self, chains: Chains) -> Chains:
        """The same trellises without the forbidden moves."""
        start, trans = bar(chains.start, self.first), bar(chains.trans, self.after)
        return replace(chains, start=start, trans=trans)

    def allow(self, path: Ints) -> bool:
        """Whether a labelling has no forbidden move."""
        return bool(self.first[path[0]] and np.all(self.after[path[:-1], path[1:]]))


def bar(scores: Array, allowed: Mask) -> Array:
    """The scores, -inf where it is not allowed."""
    return np.where(allowed, scores, -np.inf)
