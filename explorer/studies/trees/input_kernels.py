"""Does it help to compare whole sentences? Input kernels beside none, over C: loss against |w|^2.

Pfahler 2015, section 6.3.2, Figure 6.4, on TüBa-D/Z (licensed): edges by fine tags and distance, with a
kernel of whole sentences on top. There every kernel halves the error of none (14.79 %). In the register
treebank two heads hang on the register, which only the words tell, so the same is seen here; on a few hundred
German sentences plain kernels of words do not help.

The figure is a path: |w|^2 = alpha' H alpha of the optimum never falls as C grows, since

    1/2 |w|^2 + C xi  is least at each C, so for C < C':  (C' - C) (xi - xi') >= 0  and  |w'|^2 >= |w|^2

but a run ends within C eps of the optimum, and with C the room for |w|^2 grows: at eps = 0.05 it may well
fall. So lines follow C, whose value stands beside every point. Errors are percentages of wrong heads,
averaged over sentences. Cost: 2 to 20 CPU seconds for each row of 400 sentences.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import OneSlack
from explorer.engine.objective import norm2
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.input_kernels import BagOfWords, Constant, InputKernel, Subsequences
from explorer.studies.support.parsed_text import CORPORA, REGISTER, corpus
from explorer.studies.support.rows import judge, row, series, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

NONE, WORDS, SQUARED, SEQUENCES = "none", "bag of words", "squared bag of words", "word sequences"
KERNELS: dict[str, InputKernel] = {
    NONE: Constant(),
    WORDS: BagOfWords(),
    SQUARED: BagOfWords(2),
    SEQUENCES: Subsequences(),
}
PRICES = (0.1, 1.0, 10.0, 100.0, 1000.0)
BEST = "best"
"""What stands for C in the row of a kernel's least test error."""

PRINTED = {NONE: (14.72, 14.79), WORDS: (1.16, 7.68), SQUARED: (0.98, 8.04), SEQUENCES: (1.07, 7.73)}
"""Training and test error at the best C of each kernel; the curves themselves are lost."""

TINY = 1e-9


@final
@settings
class InputKernels:
    """Errors and length of w for each input kernel."""

    name: ClassVar[str] = "input-kernels"
    title: ClassVar[str] = "Does it help to compare whole sentences?"
    source: ClassVar[str] = "Pfahler 2015, section 6.3.2, Figure 6.4"
    about: ClassVar[str] = (
        "A parser that learns more from sentences that are alike, by kernels of their words, beside one that "
        "learns from all alike. Each line is a path along C, from short to long weight vectors."
    )
    beside: ClassVar[str] = "published (TüBa-D/Z, not reproduced)"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("kernel", "input kernel", key=True),
        Column("C", "C", key=True, form="g"),
        Column("train", "training error, %", form=".2f"),
        Column("test", "test error, %", form=".2f"),
        Column("norm", "|w|^2", form=".4g"),
        Column("steps", "steps", form=",d"),
    )
    plot: ClassVar[Plot] = Plot("lines", "norm", ("test", "train"), series="kernel", log=("x",), along="C")

    corpus: str = knob(
        REGISTER, "Which sentences: made up, or real ones from EXPLORER_DATA.", choices=CORPORA
    )
    n: int = knob(400, "Training sentences; as many are for testing.", low=4, high=2000)
    prices: int = knob(4, "How many prices, from 0.1 in steps of ten.", low=1, high=5)
    eps: float = knob(0.05, "Tolerance of training, as in the source.", low=1e-6, high=1.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "InputKernels":
        return cls(n=40, prices=5)

    @property
    def total(self) -> int:
        return self.prices * len(KERNELS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Both errors at the best C."""
        return tuple(row(kernel=name, C=BEST, train=a, test=b) for name, (a, b) in PRINTED.items())

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Kernel by kernel, from the smallest price."""
        train, test = corpus(self.corpus, self.n, self.seed)
        for name, kernel in KERNELS.items():
            pulse(f"{name}: comparing sentences")
            problem = KernelTrees(train, (EdgeHash("fine tags"),), kernel)
            for C in PRICES[: self.prices]:
                yield self._row(problem, test, C, name, pulse)

    def _row(self, problem: KernelTrees, test: Dataset, C: float, name: str, pulse: Pulse) -> Row:
        for step in OneSlack(C=C, eps=self.eps).steps(problem, np.random.default_rng(self.seed)):
            pulse(f"{name}, C = {C:g}, step {step.k}")
            last = step
        parts = (problem, problem.on(test))
        train, found = (100.0 * float(np.mean(part.losses(part.predictions(last.w)))) for part in parts)
        length = norm2(problem, last.w)
        return row(kernel=name, C=C, train=train, test=found, norm=length, steps=last.k + 1)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows, those of a kernel followed by its least test error."""
        out: list[Row] = []
        for name in series(rows, "kernel"):
            mine = where(rows, kernel=name)
            best = min(mine, key=lambda found: found.number("test"))
            out += [*mine, row(**{**best, "C": BEST})]
        return tuple(out)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What kernels of words are good for, what they overfit, and whether |w|^2 rises along the path."""
        return (_better(rows), _fitted(rows), _longer(rows))


def least(rows: Sequence[Row], kernel: str) -> float:
    """The least test error of a kernel; NaN without rows."""
    return min((found.number("test") for found in where(rows, kernel=kernel)), default=float("nan"))


def _better(rows: Sequence[Row]) -> Finding:
    found = {name: least(rows, name) for name in KERNELS}
    return judge(
        "Every input kernel has a lower test error than none, each at its best C.",
        list(found.values()),
        all(found[name] < found[NONE] for name in KERNELS if name != NONE),
        ", ".join(f"{name} {error:.2f} %" for name, error in found.items()),
    )


def _fitted(rows: Sequence[Row]) -> Finding:
    mine = [found for found in rows if found["kernel"] != NONE]
    gaps = [found.number("test") - found.number("train") for found in mine]
    return judge(
        "With every kernel the test error lies above the training error, at every C.",
        gaps,
        min(gaps, default=0.0) > 0.0,
        f"above by {min(gaps, default=0.0):.2f} to {max(gaps, default=0.0):.2f} points",
    )


def falls(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Neighbours along C of one kernel whose |w|^2 falls, by more than rounding."""
    return [
        (a, b)
        for name in KERNELS
        for a, b in pairwise(where(rows, kernel=name))
        if b.number("norm") < (1.0 - TINY) * a.number("norm")
    ]


def _longer(rows: Sequence[Row]) -> Finding:
    found = falls(rows)
    text = "; ".join(
        f"{a['kernel']}: {a.number('norm'):.3g} at C = {a['C']:g}, {b.number('norm'):.3g} at C = {b['C']:g}"
        for a, b in found
    )
    why = (
        ". Runs end within C eps of the optimum, and only the |w|^2 of the optimum cannot fall: try a "
        "smaller eps"
    )
    return judge(
        "|w|^2 does not fall as C grows.",
        [found.number("norm") for found in rows],
        not found,
        f"{text}{why}" if found else "it rises or stays at every step of C",
    )
