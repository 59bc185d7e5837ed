"""What it costs to give up trees: heads chosen greedily instead of the best tree, in training and in
prediction, over C.

Pfahler 2015, section 6.3.4, Figure 6.5 and Table 6.5, on TüBa-D/Z (licensed) with the squared bag of words:
the exact construction is better by 0.21 points at larger C, and 85 to 94 % of the greedy answers are trees
all the same. Here the register treebank, whose greedy answers are nearly always trees, or German news of
Universal Dependencies from the folder that EXPLORER_DATA names, one random half for training; their longer
sentences leave fewer greedy answers trees, some 70 to 80 %. Errors are percentages of wrong heads, averaged
over sentences. Cost: some CPU seconds for the register treebank, two minutes for German.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import OneSlack
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.heads import is_tree
from explorer.engine.structures.trees.input_kernels import BagOfWords
from explorer.engine.structures.trees.oracles import Arborescence, GreedyHeads, TreeOracle
from explorer.studies.support.parsed_text import CORPORA, REGISTER, corpus
from explorer.studies.support.rows import judge, row, series, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

PRICES = (0.001, 0.01, 0.1, 1.0, 2.0, 10.0)
"""Those of Table 6.5."""

VALID = (93.99, 85.83, 91.50, 92.54, 92.59, 92.14)
"""Its percentages of trees among greedy answers."""

METHODS: dict[str, TreeOracle] = {"exact": Arborescence(), "greedy": GreedyHeads()}


@final
@settings
class GreedyTrees:
    """Attachment error and share of trees."""

    name: ClassVar[str] = "greedy-trees"
    title: ClassVar[str] = "Must every answer be a tree?"
    source: ClassVar[str] = "Pfahler 2015, section 6.3.4, Figure 6.5, Table 6.5"
    about: ClassVar[str] = (
        "A parser is trained and asked with the best tree, and with the best head of each word, for several "
        "C. "
        "Greedy heads are hardly worse, and most of them make trees."
    )
    beside: ClassVar[str] = "published (TüBa-D/Z, not reproduced)"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("C", "C", key=True, form="g"),
        Column("method", "construction", key=True),
        Column("train", "training error, %", form=".2f"),
        Column("test", "test error, %", form=".2f"),
        Column("valid", "answers that are trees, %", form=".2f"),
        Column("steps", "steps", form=",d"),
    )
    plot: ClassVar[Plot] = Plot("lines", "C", ("test",), series="method", log=("x",))

    corpus: str = knob(
        REGISTER, "Which sentences: made up, or real ones from EXPLORER_DATA.", choices=CORPORA
    )
    n: int = knob(400, "Training sentences; as many are for testing.", low=4, high=2000)
    prices: int = knob(6, "How many of the prices of the source, from the smallest.", low=1, high=6)
    degree: int = knob(2, "Power of the bag of words plus 1; 0 is the bag itself.", low=0, high=4)
    eps: float = knob(0.05, "Tolerance of training, as in the source.", low=1e-6, high=1.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "GreedyTrees":
        return cls(n=40)

    @property
    def total(self) -> int:
        return self.prices * len(METHODS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Shares of trees; the curves of the errors are lost."""
        pairs = zip(PRICES[: self.prices], VALID, strict=False)
        return tuple(row(C=C, method="greedy", valid=share) for C, share in pairs)

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Both constructions at every price."""
        train, test = corpus(self.corpus, self.n, self.seed)
        problem = KernelTrees(train, (EdgeHash("fine tags"),), BagOfWords(self.degree))
        for C, (method, oracle) in product(PRICES[: self.prices], METHODS.items()):
            mine = replace(problem, separator=oracle, predictor=oracle)
            yield self._row(mine, test, C, method, pulse)

    def _row(self, problem: KernelTrees, test: Dataset, C: float, method: str, pulse: Pulse) -> Row:
        for step in OneSlack(C=C, eps=self.eps).steps(problem, np.random.default_rng(self.seed)):
            pulse(f"C = {C:g}, {method}, step {step.k}")
            last = step
        other = problem.on(test)
        answers = other.predictions(last.w)
        return row(
            C=C,
            method=method,
            train=100.0 * float(np.mean(problem.losses(problem.predictions(last.w)))),
            test=100.0 * float(np.mean(other.losses(answers))),
            valid=100.0 * float(np.mean([is_tree(y) for y in answers])),
            steps=last.k + 1,
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """How near both constructions are, and how many greedy answers are trees."""
        return (_near(rows), _trees(rows), _exact(rows))


def differences(rows: Sequence[Row]) -> list[float]:
    """Greedy minus exact test error in points, at every price."""
    both = (
        [value(rows, "test", C=C, method=method) for C in series(rows, "C")] for method in ("greedy", "exact")
    )
    return [a - b for a, b in zip(*both, strict=True)]


def _near(rows: Sequence[Row]) -> Finding:
    found = differences(rows)
    return judge(
        "Greedy heads and best trees differ by at most one point of test error, at every C.",
        found,
        all(abs(gap) <= 1.0 for gap in found),
        ", ".join(f"{gap:+.2f}" for gap in found),
    )


def _trees(rows: Sequence[Row]) -> Finding:
    shares = [found.number("valid") for found in where(rows, method="greedy")]
    return judge(
        "At least 70 % of the greedy answers are trees, at every C.",
        shares,
        min(shares, default=0.0) >= 70.0,
        f"{min(shares, default=0.0):.1f} to {max(shares, default=0.0):.1f} %",
    )


def _exact(rows: Sequence[Row]) -> Finding:
    shares = [found.number("valid") for found in where(rows, method="exact")]
    return judge(
        "The best tree is always a tree.",
        shares,
        min(shares, default=0.0) == 100.0,
        f"{min(shares, default=0.0):.1f} % at least",
    )
