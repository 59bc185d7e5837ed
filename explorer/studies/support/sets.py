"""The multi-label sets of Finley 2009, section 5.5, as problems: which oracle trains, which one predicts, how
many examples.

Synth1 and Synth2 are generated; scene, yeast, reuters and mediamill are read from the folder that
EXPLORER_DATA names, each from its .npz file (`data.readers.scene`), where it is there. The loss is 100 / l
for each of l labels, so that it reads as per cent. `share` takes part of the source's examples, for runs that
shall be short.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.contracts import Dataset
from explorer.engine.data.multilabel import synth1, synth2
from explorer.engine.data.readers.scene import read_scene
from explorer.engine.losses import Hamming
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array

SYNTH1, SYNTH2 = "synth1", "synth2"
REAL = SCENE, YEAST, REUTERS, MEDIAMILL = ("scene", "yeast", "reuters", "mediamill")
SETS = (SYNTH1, SYNTH2, *REAL)
SIZES = {SYNTH1: (471, 5045), SYNTH2: (1000, 10_000)}
FIXED_C = {SYNTH1: 1e3, SYNTH2: 3e4, **dict.fromkeys(REAL, 1e4)}
"""The price where none is chosen by cross validation: one that suits each set, tried on all but the last
three.
"""

PER_CENT = Hamming(normalised=True, times=100.0)
FEWEST = 20


def real_path(name: str) -> Path | None:
    """Where a set of real examples is, if it is here."""
    named = os.environ.get("EXPLORER_DATA", "")
    path = Path(named) / f"{name}.npz"
    return path if named and path.is_file() else None


def sets_here() -> tuple[str, ...]:
    """The sets that can be run on."""
    return tuple(name for name in SETS if name in SIZES or real_path(name) is not None)


def examples(name: str, share: float = 1.0, seed: int = 0, constant: bool = True) -> tuple[Dataset, Dataset]:
    """Training and test examples; `constant` adds a feature 1 to synth2, which the printed model lacks."""
    if name in REAL:
        path = real_path(name)
        if path is None:
            raise Refused(
                f"EXPLORER_DATA names no folder with {name}.npz; set it, or choose synth1 or synth2"
            )
        train, test = read_scene(path)
        return part(train, share), part(test, share)
    if name not in SIZES:
        raise Refused(f"there is no set {name!r}; choose one of {', '.join(SETS)}")
    n, n_test = (max(FEWEST, round(share * size)) for size in SIZES[name])
    return synth1(n, n_test, seed) if name == SYNTH1 else synth2(n, n_test, seed, constant)


def part(data: Dataset, share: float) -> Dataset:
    """The first examples."""
    count = max(FEWEST, round(share * len(data)))
    return examples_at(data, np.arange(min(count, len(data))))


def examples_at(data: Dataset, at: Any) -> Dataset:
    """The examples at these places."""
    return replace(data, inputs=data.inputs[at], labels=np.asarray(data.labels)[at])


def problem_of(data: Dataset, oracle: str, predictor: str, edges: bool = True) -> FieldLabelling:
    """The data as a field over their labels: every pair of them, or none."""
    labels = np.asarray(data.labels).shape[1]
    pairs = all_pairs(labels) if edges else ()
    oracles = (oracle_named(oracle), oracle_named(predictor))
    return FieldLabelling(data, LabelMap(labels, pairs), PER_CENT, separator=oracles[0], predictor=oracles[1])


def predicting(problem: FieldLabelling, data: Dataset, predictor: str) -> FieldLabelling:
    """The same model on other data, with another predictor."""
    return replace(problem, dataset=data, predictor=oracle_named(predictor))


def losses_of(problem: FieldLabelling, w: Array) -> tuple[Array, float]:
    """Every example's loss under the problem's predictor, and the share of its labels left undecided, both in
    per cent.
    """
    found = problem.predictions(w)
    halves = [undecided_share(label, problem) for label in found]
    return problem.losses(found), 100.0 * float(np.mean(halves))


def undecided_share(label: Any, problem: FieldLabelling) -> float:
    """The share of the nodes whose states all have a share below 1."""
    if np.asarray(label).dtype.kind != "f":
        return 0.0
    m = np.asarray(problem.dataset.labels).shape[1]
    shares = np.asarray(label)[: m * problem.states].reshape(m, problem.states)
    return float(np.mean(shares.max(axis=1) < 1.0 - 1e-9))


def default_loss(train: Dataset, test: Dataset) -> float:
    """The test loss of the one labelling that is best on the training examples."""
    constant = (np.mean(np.asarray(train.labels), axis=0) > 0.5).astype(np.int64)
    return 100.0 * float(np.mean(np.asarray(test.labels) != constant))


def standard_error(losses: Array) -> float:
    """The standard deviation of a mean loss: sd / sqrt(n)."""
    return float(np.std(losses, ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else float("nan")


def printed_error(loss: float, n: int) -> float:
    """What the source prints as standard error, 100 p (1 - p) / sqrt(n): a root is missing, and labels are
    not examples.
    """
    p = loss / 100.0
    return 100.0 * p * (1.0 - p) / float(np.sqrt(n))
