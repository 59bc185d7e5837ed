"""How far relaxed answers reach: what Theorem 11 asks of a problem whose oracle over-generates.

    Psi(x, q) = sum over groups g of sum_s q_gs f_gs,      q_gs >= 0,  sum_s q_gs = 1
    |Psi(x, q)|^2  <=  sum_{g, h} max_{s, t} |f_gs . f_ht|

Theorem 11 of Finley 2009 is Theorem 8 with the relaxed answers in place of the labellings; theorems 4 and 7
follow for them by the same proofs. The groups of a field are its nodes and edges, and s is a state or a pair
of states; those of a clustering are the pairs of items, which are together or not. |Psi(truth) - Psi(q)| has
the same bound with f_truth - f_gs. Where every group has weights of its own and states switched off have
none, as in multi-label fields, both are the lengths of q that switch everything on, and everything over.
Cost: per example one feature vector for each (g, s), and their inner products.
"""

import numpy as np

from explorer.engine.contracts import Problem, oracle_kind, pulse_of
from explorer.engine.enumeration import CELLS, LISTABLE, listable
from explorer.engine.structures.clusterings.partitions import pair_count, together
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory.bounds import Extent, extent
from explorer.engine.vectors import Array, Ints, dense


def known_extent(problem: Problem, share: float = 1.0) -> Extent | None:
    """The extent over all that the training oracle may answer with; None where it cannot be found within this
    share of the usual limits.
    """
    if oracle_kind(problem) != "over":
        return extent(problem) if listable(problem, share) else None
    count = sum(parts(problem, i) for i in range(problem.n))
    if not 0 < count <= share * LISTABLE or count * problem.dim > share * CELLS:
        return None
    found = []
    for i in range(problem.n):
        pulse_of(problem)()
        found.append(relaxed_extent(problem, i))
    radius, loss, longest = np.max([(one.radius, one.loss, one.longest) for one in found], axis=0)
    return Extent(float(radius), float(loss), float(longest), relaxed=True)


def parts(problem: Problem, i: int) -> int:
    """How many shares a relaxed answer to example i has; 0 where it is no mixture of parts."""
    if isinstance(problem, FieldLabelling):
        nodes, edges = (int(np.diff(at)[i]) for at in (problem.layout.nodes, problem.layout.edges))
        return nodes * problem.states + edges * problem.states**2
    if isinstance(problem, Clustering) and problem.model == "correlation":
        return pair_count(problem.dataset.inputs[i].m)
    return 0


def relaxed_extent(problem: Problem, i: int) -> Extent:
    """Bounds over the relaxed answers to one example."""
    rows = np.stack([dense(problem.features(i, share)) for share in np.eye(parts(problem, i))])
    truth = np.asarray(problem.dataset.labels[i])
    if not isinstance(problem, FieldLabelling):  # of every pair, all may be together, and all changed
        longest = reach(rows, np.arange(len(rows)))
        return Extent(longest, problem.loss(i, 1.0 - together(truth)), longest, True)
    K, ends = problem.states, problem.layout.part(i, i + 1).ends
    sizes = np.repeat([K, K * K], [len(truth), len(ends)])
    starts = np.cumsum(sizes) - sizes
    true = starts + np.concatenate([truth, K * truth[ends[:, 0]] + truth[ends[:, 1]]])
    change = np.repeat(rows[true], sizes, axis=0) - rows
    return Extent(reach(change, starts), _worst_loss(problem, i, truth), reach(rows, starts), True)


def reach(rows: Array, starts: Ints) -> float:
    """A bound on the length of a sum of mixtures, one of each group's rows."""
    inner = np.abs(rows @ rows.T)
    blocks = np.maximum.reduceat(np.maximum.reduceat(inner, starts, axis=0), starts, axis=1)
    return float(np.sqrt(blocks.sum()))


def _worst_loss(problem: FieldLabelling, i: int, truth: Ints) -> float:
    """The loss is a sum over nodes: its maximum is that of every node by itself."""
    changed = np.where(np.eye(len(truth), dtype=bool), np.arange(problem.states)[:, None, None], truth)
    return float(sum(max(problem.loss(i, label) for label in labels) for labels in changed.swapaxes(0, 1)))
