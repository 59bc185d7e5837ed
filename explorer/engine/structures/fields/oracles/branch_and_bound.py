"""Branch and bound: the best labelling of any field, as long as the relaxation leaves little to search.

The fast relaxation first. Where its optimum is whole it is the answer. Otherwise its fractional nodes are
searched, part by part, depth first, with messages as bounds; see `kernels/exact_fields.py` and
`kernels/branch_search.py`. Land and Doig 1960; Savchynskyy et al. 2013. Exact to 1e-10 of the score. The
search is exponential at worst: fields that need more than `most` subproblems are refused, by number. Cost: a
few sweeps of e K^2 for a subproblem.
"""

from functools import partial
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Effort
from explorer.engine.halting import flag, halt
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.exact_fields import judge_labels, open_fractional, search_parts
from explorer.engine.structures.fields.kernels.relaxed_fields import Relaxed, choose_parts
from explorer.engine.structures.fields.oracles.graph_cut import refused_numbers
from explorer.engine.structures.fields.oracles.relaxation import (
    STEPS,
    SWEEPS,
    DoubtfulParts,
    cut_out,
    relax,
    stack_of,
)
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Ints

EXACT = 1e-10
"""Labellings nearer than this share of the score count as equal."""


@final
@settings
class BranchAndBound:
    """Tries states where the relaxation is undecided, and leaves what cannot beat the best labelling so
    far.
    """

    title: ClassVar[str] = "branch and bound"
    help: ClassVar[str] = (
        "Tries states where the relaxation is undecided, bounded by messages: exact, for fields not too "
        "tangled."
    )
    kind: ClassVar[str] = "exact"

    most: int = knob(
        200_000, "A field that needs more subproblems than this is refused.", low=1, high=10_000_000, log=True
    )

    def refuses(self, fields: Fields) -> str | None:
        """Scores that are not finite; that a search takes too long is known only afterwards."""
        return refused_numbers(fields)

    def effort(self, fields: Fields) -> Effort:
        """How tangled the field is: the shares of a relaxation for each of its nodes."""
        size = (fields.unary.size + len(fields.ends) * fields.states**2) // len(fields.unary)
        because = "in fields so tangled its search may double with every node"
        return Effort(size, f"this field has {size:,} shares for each node; {because}", 100)

    def solve(self, fields: Fields) -> Solved:
        """The best labelling of every field; Refused where that takes too many subproblems."""
        return self.search(fields)[0]

    def search(self, fields: Fields) -> tuple[Solved, Ints]:
        """The same, with the subproblems that each field took: 0 where the relaxation was tight."""
        stack, known = stack_of(fields), relax(fields, SWEEPS, STEPS, EXACT)
        looked, rings = np.zeros(len(fields), np.int64), 1
        spread(fields, partial(open_fractional, stack, known))
        while known.open.any():
            spread(fields, partial(choose_parts, stack, known, rings))
            self._search(cut_out(fields, known), known, looked)
            spread(fields, partial(judge_labels, stack, known, looked, self.most))
            rings = 2
        if np.any(looked > self.most):
            i = int(np.argmax(looked > self.most))
            raise Refused(
                f"field {i} needs more than {self.most:,} subproblems; choose the fast relaxation, or let "
                "branch and bound "
                "look at more"
            )
        return hard(fields, known.labels, known.bound), looked

    def _search(self, parts: DoubtfulParts, known: Relaxed, looked: Ints) -> None:
        """The best labellings of the parts, put back into the whole; `looked` adds up their subproblems."""
        labels, taken = known.labels[parts.nodes], np.empty(len(parts.fields), np.int64)
        grain = 0.5 * known.goal[parts.of] / known.parts[parts.of]
        work = partial(search_parts, stack_of(parts.fields), parts.m, labels, self.most, grain, taken, flag())
        in_parts(work, 0, len(parts.fields), 2)
        halt()
        known.labels[parts.nodes] = labels
        np.add.at(looked, parts.of, taken)
