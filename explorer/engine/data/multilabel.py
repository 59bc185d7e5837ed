"""Rows with any subset of labels: two generated sets, and the check that every multi-label set passes.

    synth1   6 labels: label 1 is always on, label i with probability 1/2 if label i - 1 is on and never
             otherwise; each label owns 1,000 of 6,000 binary features, and if it is on 10 of them, chosen at
             random, are set
    synth2   exactly one of 10 labels, uniformly; if it is label i, 4 i of the 40 binary features, chosen at
             random, are set. The number of set features decides, not which: no label can be told by itself

Finley 2009, section 5.5.1, where synth1 says "off" for "on" by a slip. The constant labelling that is best in
expectation is 100 (1/2 + ... + 1/32) / 6 = 16.15 % wrong on synth1 and 10 % wrong on synth2. The printed
synth2 has 40 features; a constant one more is what a linear score needs to compare a number of set features
with a threshold. Labels are (n, l) zeros and ones, inputs (n, F) dense (synth2) or CSR (synth1). Cost: linear
in the stored numbers.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.checks import Csr, read_only
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.rows import is_sparse
from explorer.engine.vectors import Ints

SWITCH = ("off", "on")
OWNED, SET = 1000, 10
"""Features of each label of synth1, and how many of them are set when it is on."""

STEP = 4
"""Set features that each further label of synth2 adds."""


def synth1(n: int = 471, n_test: int = 5045, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Train and test; label u owns columns 1000 u to 1000 u + 999."""
    _check(n, n_test)
    rng = np.random.default_rng(seed)
    coins = rng.random((n + n_test, 6)) < 0.5
    coins[:, 0] = True
    labels = np.logical_and.accumulate(coins, axis=1).astype(np.int64)
    rows, names = _owned_features(rng, labels), tuple(f"label {u + 1}" for u in range(6))
    return (
        label_set_data("synth1", rows[:n], labels[:n], names),
        label_set_data("synth1 (test)", rows[n:], labels[n:], names),
    )


def _owned_features(rng: np.random.Generator, labels: Ints) -> Csr:
    """Ten different ones of its thousand features for every label that is on."""
    example, owner = np.nonzero(labels)
    chosen = different_numbers(rng, len(owner), OWNED, SET)
    columns = np.sort(OWNED * owner[:, None] + chosen, axis=1).ravel()
    ends = np.concatenate([[0], np.cumsum(SET * np.bincount(example, minlength=len(labels)))])
    size = (len(labels), OWNED * labels.shape[1])
    rows: Csr = csr_array(
        (np.ones(len(columns)), columns.astype(np.int32), ends.astype(np.int32)), shape=size
    )
    return rows


def different_numbers(rng: np.random.Generator, count: int, size: int, taken: int) -> Ints:
    """`count` rows of `taken` different numbers below `size`, every choice equally likely.

    They are the places of the smallest of `size` random numbers, a thousand rows at a time.
    """
    out = np.empty((count, taken), dtype=np.int64)
    for lo in range(0, count, 1000):
        hi = min(lo + 1000, count)
        out[lo:hi] = np.argpartition(rng.random((hi - lo, size)), taken - 1, axis=1)[:, :taken]
    return out


def synth2(
    n: int = 1000, n_test: int = 10_000, seed: int = 0, constant: bool = True
) -> tuple[Dataset, Dataset]:
    """Train and test; with `constant` a last feature is always 1."""
    _check(n, n_test)
    rng = np.random.default_rng(seed)
    own = rng.integers(1, 11, n + n_test)
    rank = np.argsort(np.argsort(rng.random((n + n_test, 10 * STEP)), axis=1), axis=1)
    rows = (rank < STEP * own[:, None]).astype(float)
    rows = np.column_stack([rows, np.ones(len(rows))]) if constant else rows
    labels, names = np.eye(10, dtype=np.int64)[own - 1], tuple(f"label {u + 1}" for u in range(10))
    return (
        label_set_data("synth2", rows[:n], labels[:n], names),
        label_set_data("synth2 (test)", rows[n:], labels[n:], names),
    )


def label_set_data(name: str, inputs: Any, labels: Any, names: Sequence[str], **meta: Any) -> Dataset:
    """A checked multi-label set; meta "label_names" names the columns of the labels, "states" says off and
    on.
    """
    y = np.asarray(labels)
    rows: Any = (
        csr_array(inputs, dtype=np.float64)
        if is_sparse(inputs)
        else np.asarray(inputs, dtype=np.float64, order="C")
    )
    if rows.ndim != 2 or 0 in rows.shape or y.shape != (rows.shape[0], len(names)):
        raise Refused(
            f"{name} has inputs of shape {rows.shape} and labels of shape {y.shape} for {len(names)} names; "
            "give one row of features and one of labels for every example"
        )
    _check_values(name, rows, y)
    kept = read_only(np.ascontiguousarray(y, dtype=np.int64))
    return Dataset(name, _frozen(rows), kept, {"states": SWITCH, "label_names": tuple(names), **meta})


def _frozen(rows: Any) -> Any:
    """The same rows, not to be written to."""
    if not is_sparse(rows):
        return read_only(rows)
    for part in ("data", "indices", "indptr"):
        setattr(rows, part, read_only(getattr(rows, part)))
    return rows


def _check_values(name: str, rows: Any, y: Any) -> None:
    flat = np.ravel(rows.data if is_sparse(rows) else rows)
    if not np.isfinite(flat).all():
        at = int(np.argmin(np.isfinite(flat)))
        ends = rows.indptr if is_sparse(rows) else np.arange(len(rows) + 1) * rows.shape[1]
        i = int(np.searchsorted(ends, at, side="right")) - 1
        raise Refused(f"{name}, example {i}, has the feature value {flat[at]}; give finite numbers")
    wrong = np.argwhere((y != 0) & (y != 1))
    if len(wrong):
        i, u = wrong[0]
        raise Refused(f"{name}, example {i}, label {u}, is {y[i, u]}; a label is on (1) or off (0)")


def _check(n: int, n_test: int) -> None:
    if min(n, n_test) < 1:
        raise Refused(f"n is {n} and n_test is {n_test}; draw at least one example of each")


@settings
class Synth1:
    """Six labels, each on only if the one before is, with a thousand sparse features of its own."""

    n: int = knob(471, "Training examples.", low=5, high=10_000)
    n_test: int = knob(1000, "Test examples; the source has 5,045.", low=1, high=10_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test examples."""
        return synth1(self.n, self.n_test, self.seed)


@settings
class Synth2:
    """One of ten labels is on; label i turns on 4 i of the 40 features, any of them."""

    n: int = knob(1000, "Training examples.", low=5, high=10_000)
    n_test: int = knob(1000, "Test examples; the source has 10,000.", low=1, high=10_000)
    constant: bool = knob(True, "Add a feature that is always 1; without it at most one label can ever win.")
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test examples."""
        return synth2(self.n, self.n_test, self.seed, self.constant)
