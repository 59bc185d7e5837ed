"""The pair classifier for pair features that are mostly zero: the machine of `contrast.PairClassifier`, on sparse rows.

    minimise  1/2 (|w|^2 + b^2) + C * mean over pairs of slack^2 / 2
    slack = max(0, 1 - t (w . psi + b)),   t = +1 for pairs that are together, -1 for others

The offset b shifts the similarity of all pairs alike, which changes no clustering into k clusters: it is learned, as by the
source's classifier, and left out. Finley 2009, "Pair" of section 4.5.2. Cost: liblinear, some passes over the stored entries.
"""

import warnings

import numpy as np
from scipy import sparse as sp

from explorer.engine.items import ItemSet
from explorer.engine.partitions import together
from explorer.engine.protocols import Dataset
from explorer.engine.vectors import Array

PASSES, TOLERANCE = 1000, 1e-5


def pair_rows(x: ItemSet) -> sp.csr_array:
    """psi_ij of all pairs i < j, in the order of the weights."""
    i, j = np.triu_indices(x.m, 1)
    nodes = sp.csr_array((x.m, 0)) if x.nodes is None else sp.csr_array(x.nodes)
    products = sp.csr_array(nodes[i].multiply(nodes[j]))
    parts = [products]
    for ends in x.relations:
        holds = np.zeros((x.m, x.m))
        holds[ends[:, 0], ends[:, 1]] = 1.0
        related = sp.csr_array(holds[i, j][:, None])
        parts += [sp.csr_array(products.multiply(holds[i, j][:, None])), related]
    if x.pairs is not None:
        parts.append(sp.csr_array(x.pairs))
    return sp.csr_array(sp.hstack(parts, format="csr"))


def pair_weights(data: Dataset, C: float) -> Array:
    """The weights of a machine that tells pairs of one cluster from others, trained on all pairs of all sets."""
    from sklearn.exceptions import ConvergenceWarning  # scikit-learn takes a second to import
    from sklearn.svm import LinearSVC

    rows = sp.csr_array(sp.vstack([pair_rows(x) for x in data.inputs], format="csr"))
    same = np.concatenate([together(y) for y in data.labels])
    if same.min() == same.max():
        return np.full(rows.shape[1], 1.0 if same.max() > 0.0 else -1.0)  # one kind of pair teaches nothing else
    price = C / (2.0 * len(same))
    machine = LinearSVC(C=price, dual=False, max_iter=PASSES, tol=TOLERANCE, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a machine that stops early is still tested by its loss
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)  # liblinear's numbers
        machine.fit(rows, np.where(same > 0.5, 1, -1))
    return np.asarray(machine.coef_, dtype=np.float64).reshape(-1)
