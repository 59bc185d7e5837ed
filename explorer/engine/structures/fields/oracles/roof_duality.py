"""Roof duality (QPBO): binary fields of any sign, with labels 0, 1 or ambiguous, and a bound on the best
score.

    max over the local polytope of  sum_u a_u y_u + sum_uv b_uv y_uv + constant,
        some best point has y in {0, 1/2, 1}

The value is that of the linear programming relaxation, by one maximum flow on a network with two nodes for
each node; see `kernels/roof_duality.py`. Ambiguous nodes have y_u = 1/2. Every unambiguous label is part of
some best labelling. Hammer, Hansen and Simeone (1984); Kolmogorov and Rother (2007); Finley 2009, section
5.3.2, where it is called Cut.
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.decoders import ROOF
from explorer.engine.structures.fields.kernels.roof_duality import fractional_shares, roof_fields
from explorer.engine.structures.fields.oracles.graph_cut import refused_numbers
from explorer.engine.vectors import Array, Ints

HALF, ZEROS, RANDOM = "half", "zeros", "seeded random"
FILLS = (HALF, ZEROS, RANDOM)


@final
@settings
class RoofDuality:
    """A minimum cut of nodes and their complements; it over-generates unless ambiguous nodes are filled with
    states.
    """

    title: ClassVar[str] = "roof duality"
    help: ClassVar[str] = (
        "Two states, edges of any sign: labels 0, 1 or ambiguous, and a bound that no labelling exceeds."
    )
    kind: ClassVar[str] = "over"

    fill: str = knob(
        HALF, "What ambiguous nodes are: half of each state, or a state, 0 or drawn.", choices=FILLS
    )
    seed: int = knob(0, "Seed of the states drawn for ambiguous nodes.", low=0, high=9999)

    @property
    def rounds(self) -> bool:
        """Whether its answers are hard, and so no longer bound anything."""
        return self.fill != HALF

    def refuses(self, fields: Fields) -> str | None:
        """More than two states."""
        if fields.states != 2:
            return (
                f"the fields have {fields.states} states and roof duality takes two: "
                "use the linear programming relaxation for more of them"
            )
        return refused_numbers(fields)

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it as long as it answers with shares."""
        return CompiledDecoder(ROOF) if states == 2 and not self.rounds else None

    def solve(self, fields: Fields) -> Solved:
        """The best relaxed labelling of every field, or the hard one that `fill` makes of it, and its
        bound.
        """
        reason = self.refuses(fields)
        if reason:
            raise Refused(reason)
        twice, bound = twice_shares(fields)
        if self.fill == HALF:
            return Solved(twice // 2, bound, fractions(fields, twice))
        drawn = np.random.default_rng(self.seed).integers(0, 2, len(twice)) if self.fill == RANDOM else 0
        return hard(fields, np.where(twice == 1, drawn, twice // 2), bound)


def twice_shares(fields: Fields) -> tuple[Ints, Array]:
    """2 y_u of every node (0, 1 = ambiguous, 2) and the bound of every field."""
    twice, bound = np.empty(len(fields.unary), np.int64), np.empty(len(fields))
    stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
    spread(fields, lambda lo, hi: roof_fields(*stack, lo, hi, twice, bound))
    return twice, bound


def fractions(fields: Fields, twice: Ints) -> dict[int, Array]:
    """The relaxed labelling, flat, of every field that has an ambiguous node."""
    before = np.concatenate([[0], np.cumsum(twice == 1)])[fields.nodes]
    which = np.flatnonzero(np.diff(before))
    sizes = 2 * np.diff(fields.nodes)[which] + 4 * np.diff(fields.edges)[which]
    at = np.concatenate([[0], np.cumsum(sizes)])
    out = np.empty(at[-1])
    fractional_shares(
        fields.nodes, fields.ends, fields.edges, fields.table, fields.pair, twice, at, which, out
    )
    return {i: out[a:b] for i, a, b in zip(which.tolist(), at[:-1].tolist(), at[1:].tolist(), strict=True)}
