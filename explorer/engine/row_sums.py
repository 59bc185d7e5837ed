"""Sums of outer products between feature rows and label differences:

    out += sum_t u_t x_t (e_truth(t) - e_label(t))'        an F x K matrix

which is the emission part of a feature difference. Rows with truth = label are skipped. Cost: F (or the row's
stored entries) for every wrong position.
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def add_outer(rows: Array, truth: Ints, label: Ints, weight: Array, out: Array) -> None:
    """Dense rows."""
    for t in range(len(truth)):
        a, b, u = truth[t], label[t], weight[t]
        if a != b:
            for f in range(rows.shape[1]):
                out[f, a] += u * rows[t, f]
                out[f, b] -= u * rows[t, f]


@compiled
def add_outer_csr(
    data: Array,
    index: NDArray[np.int32],
    start: NDArray[np.int32],
    truth: Ints,
    label: Ints,
    weight: Array,
    out: Array,
) -> None:
    """CSR rows: entries start[t] .. start[t + 1] of row t."""
    for t in range(len(truth)):
        a, b, u = truth[t], label[t], weight[t]
        if a != b:
            for e in range(start[t], start[t + 1]):
                out[index[e], a] += u * data[e]
                out[index[e], b] -= u * data[e]
