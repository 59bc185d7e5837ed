"""How many buckets do hashed edges need? Loss against the number B of buckets.

    k_Y(y, y') = sum over edges of y and of y' of 1[hash = hash' modulo B]

Pfahler 2015, sections 4.2.2 and 6.1.2, without printed figures: modulo hashing bounds the memory of a model
by B weights. With one bucket all edges are alike and a tree is as good as any other; from as many buckets as
there are kinds of edges on nothing collides, and the model is the one without buckets. Errors are percentages
of wrong heads, averaged over sentences. Cost: a CPU second for each row of 400 sentences.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import OneSlack
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import EdgeHash, seen_in
from explorer.studies.support.parsed_text import CORPORA, REGISTER, corpus
from explorer.studies.support.rows import judge, row, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

HASHED, PLAIN = "modulo B", "without buckets"
LARGEST = 5
"""B goes through the powers of four, up to this one, that are below the number of kinds of edges."""


@final
@settings
class HashBuckets:
    """Training and test error for more and more buckets."""

    name: ClassVar[str] = "hash-buckets"
    title: ClassVar[str] = "How many buckets do hashed edges need?"
    source: ClassVar[str] = "Pfahler 2015, sections 4.2.2 and 6.1.2"
    about: ClassVar[str] = (
        "Kinds of edges are numbered and taken modulo B, so that a model has no more than B weights. "
        "With few buckets kinds collide and the error is high; with enough of them nothing is lost."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("method", "hashes", key=True),
        Column("buckets", "buckets B", key=True, form=",d"),
        Column("train", "training error, %", form=".2f"),
        Column("test", "test error, %", form=".2f"),
        Column("shared", "kinds of edges that share a bucket, %", form=".0f"),
        Column("objective", "objective", form=".4g"),
        Column("steps", "steps", form=",d"),
    )
    plot: ClassVar[Plot] = Plot("lines", "buckets", ("test", "train"), series="method", log=("x",))

    corpus: str = knob(
        REGISTER, "Which sentences: made up, or real ones from EXPLORER_DATA.", choices=CORPORA
    )
    n: int = knob(400, "Training sentences; as many are for testing.", low=4, high=2000)
    C: float = knob(10.0, "Price of the mean slack.", low=1e-6, log=True)
    eps: float = knob(0.02, "Tolerance of training.", low=1e-6, high=1.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "HashBuckets":
        return cls(n=60)

    @property
    def total(self) -> int:
        return LARGEST + 3

    @property
    def published(self) -> tuple[Row, ...]:
        """The source describes the kernel and prints no curve."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """B = 1, 4, 16 ... below the number of kinds, as many as there are kinds, and no buckets at all."""
        train, test = corpus(self.corpus, self.n, self.seed)
        kinds = seen_in(train.inputs, (EdgeHash("fine tags"),)).size
        sizes = [4**k for k in range(LARGEST + 1) if 4**k < kinds]
        for method, buckets in [*((HASHED, B) for B in (*sizes, kinds)), (PLAIN, kinds)]:
            yield self._row(train, test, method, buckets, kinds, pulse)

    def _row(self, train: Dataset, test: Dataset, method: str, B: int, kinds: int, pulse: Pulse) -> Row:
        problem = KernelTrees(train, (EdgeHash("fine tags"),), buckets=B if method == HASHED else 0)
        for step in OneSlack(C=self.C, eps=self.eps).steps(problem, np.random.default_rng(self.seed)):
            pulse(f"{method}, B = {B}, step {step.k}")
            last = step
        parts = (problem, problem.on(test))
        errors = (100.0 * float(np.mean(part.losses(part.predictions(last.w)))) for part in parts)
        cells = dict(zip(("train", "test"), errors, strict=True))
        cells |= {"shared": shared_percentage(kinds, B), "objective": last.bounds.primal}
        return row(method=method, buckets=B, **cells, steps=last.k + 1)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Where nothing is lost, and how the error falls on the way there."""
        return (_whole(rows), _falling(rows), _half(rows))


def shared_percentage(kinds: int, buckets: int) -> float:
    """Percentage of the numbers 0 .. kinds - 1 that have a neighbour modulo `buckets`."""
    sizes = np.bincount(np.arange(kinds) % buckets)
    return 100.0 * float(sizes[sizes > 1].sum()) / kinds


def curve(rows: Sequence[Row], name: str) -> list[float]:
    """An error for more and more buckets."""
    return [found.number(name) for found in where(rows, method=HASHED)]


def _whole(rows: Sequence[Row]) -> Finding:
    pairs = [
        (curve(rows, name)[-1] if curve(rows, name) else float("nan"), value(rows, name, method=PLAIN))
        for name in ("train", "test")
    ]
    return judge(
        "With as many buckets as kinds of edges the errors are those without buckets.",
        [error for pair in pairs for error in pair],
        all(a == b for a, b in pairs),
        "; ".join(f"{a:.2f} % and {b:.2f} %" for a, b in pairs),
    )


def _falling(rows: Sequence[Row]) -> Finding:
    found = curve(rows, "train")
    return judge(
        "Every time there are more buckets, the training error is lower.",
        found,
        len(found) > 1 and all(b < a for a, b in pairwise(found)),
        ", ".join(f"{error:.2f}" for error in found) + " %",
    )


def _half(rows: Sequence[Row]) -> Finding:
    found = curve(rows, "test")
    return judge(
        "With one bucket the test error is more than twice that without collisions.",
        found,
        len(found) > 1 and found[0] > 2.0 * found[-1],
        f"{found[0]:.2f} % and {found[-1]:.2f} %" if found else "",
    )
