"""What an index over hashes saves when a structural SVM is trained with kernels: CPU seconds with and
without.

Pfahler 2015, section 6.3.5 and Figure 6.6, on TüBa-D/Z, which is licensed; the curves' values are not
printed. Here the register treebank is trained with bag of words and tags with bucketed distances (Algorithm
3), once with the index (Algorithms 6 and 7) and once comparing symbols pair by pair (as Algorithm 4 does),
both compiled. The time is split into

    products   H: inner products of the new plane with those before
    oracle     sufficient weights of all possible edges, and the best trees
    qp         the quadratic program and all else

Sums run in the same order either way, so that both make the same model bit for bit, whatever ties there are.
Seconds are those of the processor, for all threads together, with linear algebra on one of them. The table of
input kernels, the same for both, is made before the clock starts, and so is all that is compiled. Cost: a
quarter of a CPU minute.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, cast, final

import numpy as np

from explorer.engine.contracts import Problem, members
from explorer.engine.data.register import register_treebank
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import OneSlack
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.input_kernels import BagOfWords
from explorer.engine.structures.trees.inverted_index import entries
from explorer.engine.vectors import Array, Vector
from explorer.studies.support.rows import judge, row, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

INDEX, PAIRS = "index", "pairs of symbols"
METHODS = (INDEX, PAIRS)
SIZES = 4
"""The largest number of sentences is halved so often, less one."""

PARTS = ("products", "oracle", "qp")


class Clocked:
    """A problem that notes the CPU seconds of its oracle and its products, and how many pairs of symbols the
    latter looked at.
    """

    def __init__(self, problem: KernelTrees) -> None:
        self.problem = problem
        self.spent = {"products": 0.0, "oracle": 0.0}
        self.looked = 0
        for name, member in members(problem).items():
            if name != "products":
                setattr(self, name, member)
        self.sweep = self._clocked(problem.sweep, "oracle")
        self.lift = self._clocked(problem.lift, "oracle")
        self._multiply = self._clocked(problem.products, "products")

    def products(self, others: Sequence[Vector], a: Vector) -> Array:
        """Those of the problem; pairs of symbols are counted: with an index an entry meets all places of its
        atom.
        """
        assert self.problem.basis is not None
        post, at = self.problem.basis.postings, entries(a)[0]
        by_index = int(post.lengths[post.atom[at]].sum())
        self.looked += (
            by_index if self.problem.by_index else len(at) * sum(len(entries(z)[0]) for z in others)
        )
        return cast("Array", self._multiply(others, a))

    def _clocked(self, ask: Callable[..., Any], part: str) -> Callable[..., Any]:
        def asked(*given: Any) -> Any:
            began = time.process_time()
            answer = ask(*given)
            self.spent[part] += time.process_time() - began
            return answer

        return asked


@final
@settings
class KernelIndex:
    """CPU seconds of training."""

    name: ClassVar[str] = "kernel-index"
    title: ClassVar[str] = "What does an index over hashes save?"
    source: ClassVar[str] = "Pfahler 2015, section 6.3.5, Figure 6.6"
    about: ClassVar[str] = (
        "Trees in two registers are learnt with kernels, with an index over hashed edges and by comparing "
        "edges pair by pair. "
        "The model is the same, and the index takes a fraction of the time."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("n", "sentences", key=True, form=",d"),
        Column("method", "products by", key=True),
        Column("seconds", "CPU seconds", form=".3f"),
        Column("products", "of them in H", form=".3f"),
        Column("oracle", "in the oracle", form=".3f"),
        Column("qp", "in the QP", form=".3f"),
        Column("looked", "pairs of symbols for H", form=",d"),
        Column("steps", "steps", form=",d"),
        Column("objective", "objective", form=".6g"),
        Column("apart", "largest difference of weights", form=".1e"),
    )
    plot: ClassVar[Plot] = Plot("lines", "n", ("seconds",), series="method", log=("x", "y"))

    largest: int = knob(
        800,
        "Sentences of the largest treebank; the others have a half, a quarter, an eighth.",
        low=16,
        high=5000,
    )
    C: float = knob(10.0, "Price of the mean slack, as in the source.", low=1e-6, log=True)
    eps: float = knob(0.05, "Tolerance of training.", low=1e-6, high=1.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "KernelIndex":
        return cls(largest=80)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of sentences, from small to large."""
        return tuple(self.largest >> k for k in reversed(range(SIZES)))

    @property
    def total(self) -> int:
        return SIZES * len(METHODS)

    @property
    def published(self) -> tuple[Row, ...]:
        """The source only shows a drawing."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Both methods at every size."""
        for by_index in (True, False):
            self._run(self._problem(4, by_index), partial(pulse, "warming up"))
        for n in self.sizes:
            weights: dict[str, Array] = {}
            for method in METHODS:
                problem = self._problem(n, method == INDEX)
                yield self._row(problem, method, weights, partial(pulse, f"{n} sentences, {method}"))

    def _problem(self, n: int, by_index: bool) -> KernelTrees:
        return KernelTrees(register_treebank(n, seed=self.seed)[0], kernel=BagOfWords(), by_index=by_index)

    def _run(self, problem: KernelTrees, pulse: Callable[[], None]) -> tuple[Any, Clocked, float]:
        """The last step of a training, the clocks, and all CPU seconds."""
        from threadpoolctl import threadpool_limits  # comes with scikit-learn

        clocked, learner = Clocked(problem), OneSlack(C=self.C, eps=self.eps)
        with threadpool_limits(limits=1):  # idle threads of linear algebra spin, and their time would count
            began = time.process_time()
            for step in learner.steps(cast("Problem", clocked), np.random.default_rng(self.seed)):
                pulse()
                last = step
            return last, clocked, time.process_time() - began

    def _row(
        self, problem: KernelTrees, method: str, weights: dict[str, Array], pulse: Callable[[], None]
    ) -> Row:
        last, clocked, seconds = self._run(problem, pulse)
        weights[method] = last.w
        return row(
            n=problem.n,
            method=method,
            seconds=seconds,
            **clocked.spent,
            qp=seconds - sum(clocked.spent.values()),
            looked=clocked.looked,
            steps=last.k + 1,
            objective=last.bounds.primal,
            apart=float(np.max(np.abs(weights[INDEX] - last.w))),
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The same model, sooner, and where the time goes."""
        return (_same(rows), _sooner(rows), _growing(rows), _most(rows))


def gains(rows: Sequence[Row]) -> list[float]:
    """How many times the index is faster, from small to large; missing while a row is."""
    sizes = sorted({int(found.number("n")) for found in rows})
    return [
        value(rows, "seconds", n=n, method=PAIRS) / value(rows, "seconds", n=n, method=INDEX) for n in sizes
    ]


def _same(rows: Sequence[Row]) -> Finding:
    apart = [found.number("apart") for found in where(rows, method=PAIRS)]
    return judge(
        "The index leaves the model as it is: it is exact, no approximation.",
        apart,
        max(apart, default=1.0) <= 1e-8,
        f"weights differ by {max(apart, default=0.0):.1e} at most",
    )


def _sooner(rows: Sequence[Row]) -> Finding:
    found = gains(rows)
    return judge(
        "With the index training takes a fraction of the time, at every size.",
        found,
        all(gain > 1.0 for gain in found),
        ", ".join(f"{gain:.1f}" for gain in found) + " times as fast",
    )


def _growing(rows: Sequence[Row]) -> Finding:
    found = gains(rows)
    return judge(
        "The more sentences, the more the index saves.",
        found,
        len(found) > 1 and found[-1] > found[0],
        f"{found[0]:.1f} times as fast at the smallest size, {found[-1]:.1f} at the largest" if found else "",
    )


def _most(rows: Sequence[Row]) -> Finding:
    slow = where(rows, method=PAIRS)
    shares = {part: sum(found.number(part) for found in slow) for part in PARTS}
    whole = max(sum(shares.values()), 1e-300)
    return judge(
        "Without the index most of the time goes into H, and far less into oracle and quadratic program.",
        list(shares.values()) if slow else [],
        shares["products"] > 0.5 * whole,
        ", ".join(f"{part} {100.0 * spent / whole:.0f} %" for part, spent in shares.items()),
    )
