"""The best tree as an integer program: one unit of flow from the root to every token, only along chosen
edges.

    max sum_e S_e z_e    s.t.  sum_h z_hd = 1 for every token d,    sum_d f_0d = m,
                               sum_h f_hd - sum_k f_dk = 1 for every token d,    0 <= f_e <= m z_e,
                                   z_e in {0, 1}

Single-commodity flow; Pfahler 2015, sections 4.2.3 and 6.1.2, names the way. Solved by HiGHS. Cost:
milliseconds for ten tokens, exponential at worst: the way to go where further linear rules on trees are
wanted.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from scipy import sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import OracleFault
from explorer.engine.structures.trees.oracles._tables import Tables, one_by_one, unfoldable
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class TreeProgram:
    """The best tree by integer programming."""

    title: ClassVar[str] = "tree program"
    help: ClassVar[str] = "Exact: the best tree as an integer program with a flow that keeps it connected."
    kind: ClassVar[str] = "exact"

    def refuses(self, longest: int, loss: Loss, pricing: Pricing) -> str | None:
        """A loss that is no price for each wrong head."""
        return unfoldable(loss, pricing)

    def best(self, tables: Tables) -> Ints:
        """The best tree of every sentence, below each other."""
        return one_by_one(solve_tree, tables)

    def most_violated(self, tables: Tables, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The tree of every sentence with the largest H."""
        return self.best(tables.with_loss(truth, loss))


def solve_tree(table: Array) -> Ints:
    """The heads of the best tree of one sentence."""
    m = table.shape[1]
    head, dependent = (part.ravel() for part in np.indices(table.shape))
    dependent = dependent + 1
    edge = np.flatnonzero(head != dependent)
    head, dependent, e = head[edge], dependent[edge], len(edge)
    at, one = np.arange(e), np.ones(e)
    into = sp.csr_array((one, (dependent - 1, at)), shape=(m, e))
    inner = head > 0
    out = sp.csr_array((one[inner], (head[inner] - 1, at[inner])), shape=(m, e))
    none, same = sp.csr_array((m, e)), sp.eye_array(e)
    from_root = sp.csr_array((head == 0).astype(float)[None])
    rows: Any = sp.block_array(
        [[into, none], [None, into - out], [None, from_root], [-float(m) * same, same]], format="csr"
    )
    low = np.concatenate([np.ones(2 * m), [m], np.full(e, -np.inf)])
    high = np.concatenate([np.ones(2 * m), [m], np.zeros(e)])
    found = milp(
        np.concatenate([-table.ravel()[edge], np.zeros(e)]),
        integrality=np.concatenate([one, np.zeros(e)]),
        bounds=Bounds(0.0, np.concatenate([one, np.full(e, float(m))])),
        constraints=LinearConstraint(rows, low, high),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise OracleFault(f"the integer program of a sentence of {m} tokens was not solved: {found.message}")
    heads = np.zeros(m, dtype=np.int64)
    chosen = np.flatnonzero(found.x[:e] > 0.5)
    heads[dependent[chosen] - 1] = head[chosen]
    return heads
