"""Exact correlation clustering: the triangle relaxation, sharpened by stars, and branched on where shares
stay fractional.

    max  sum_{i < j} K_ij e_ij      e in {0, 1},   no triangle broken

Branch and cut over the linear program of `_program` (HiGHS): triangles and stars (Groetschel & Wakabayashi
1990) are added as they are broken, in every branch for all; then the pair nearest to one half is put together
in one branch and apart in the other. A branch ends when its bound is not above the best clustering seen,
which comes from greedy merges on the shares and moves of single items. A loss must fold. Exact to 1e-7 of the
largest |K_ij|. Cost: exponential at worst; seconds at 30 items without any structure, far less where there is
some.
"""

import heapq
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar, final

import numpy as np

from explorer.engine.structures.clusterings.oracles._kernel_question import refused_groups, refused_loss
from explorer.engine.structures.clusterings.oracles._program import ClusterProgram, clustering
from explorer.engine.structures.clusterings.oracles.greedy_merges import GreedyMerges
from explorer.engine.structures.clusterings.partitions import canonical, pair_vector, together
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Array, Ints

MOST = 60
"""Items; where K has no structure, 30 take seconds and 40 can take minutes."""

CLOSE = 1e-7
"""Branches that promise less than this above the best clustering, as a share of the largest |K_ij|, are
left.
"""


@final
@dataclass(frozen=True, slots=True)
class IntegerProgram:
    """Branch and cut over pairs."""

    title: ClassVar[str] = "integer program"
    help: ClassVar[str] = (
        "Proves the best clustering by branching on a linear program; exact, for some tens of items."
    )
    kind: ClassVar[str] = "exact"

    def refuses(self, question: Question) -> str | None:
        """A number of clusters to keep to, a loss that does not fold, or too many items."""
        reason = refused_groups(question, self.title) or refused_loss(question, self.title, "all partitions")
        if reason is None and question.m > MOST:
            return f"{self.title} takes at most {MOST} items, not {question.m}; choose greedy merges"
        return reason

    def solve(self, question: Question) -> Answer:
        """The best clustering."""
        return self.solve_within(question, math.inf)

    def solve_within(self, question: Question, seconds: float) -> Answer:
        """The best clustering seen when the time is up, at least one branch having been looked at; none
        exceeds the bound.
        """
        folded = question.fold()
        assert folded is not None, "refuses() says so"
        search, ends = Search(folded[1]), time.monotonic() + seconds
        while search.open:
            search.branch()
            if time.monotonic() > ends:
                break
        return Answer(search.best, folded[0] + search.bound)


@dataclass(slots=True)
class Search:
    """The branches that are left, the largest bound first, and the best clustering seen."""

    K: Array
    program: ClusterProgram = field(init=False)
    best: Ints = field(init=False)
    most: float = field(init=False)
    open: list[tuple[float, int, Array, Array]] = field(init=False)
    branches: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.program, self.open, self.most = ClusterProgram(self.K), [], -np.inf
        self.see(np.arange(len(self.K)))
        n = len(self.program.scores)
        if n:
            self.push(np.inf, np.zeros(n), np.ones(n))

    def push(self, bound: float, low: Array, high: Array) -> None:
        """A branch for later."""
        heapq.heappush(self.open, (-bound, next(self.branches), low, high))

    def see(self, labels: Ints) -> None:
        """Keep a clustering if it is the best, after moves of single items have bettered it."""
        labels = polish(self.K, labels)
        score = float(pair_vector(self.K) @ together(labels))
        if score > self.most:
            self.best, self.most = canonical(labels), score

    @property
    def bound(self) -> float:
        """What no clustering exceeds: the largest bound of the branches left, and what the search takes as no
        difference.
        """
        best = self.most + CLOSE * self.program.scale
        return max(best, *(-bound for bound, *_ in self.open)) if self.open else best

    def hopeless(self, bound: float) -> bool:
        """Whether no clustering of a branch can be better by more than the tolerance."""
        return bound <= self.most + CLOSE * self.program.scale

    def branch(self) -> None:
        """Sharpen the most promising branch, then close it or part it in two."""
        bound, _, low, high = heapq.heappop(self.open)
        if self.hopeless(-bound):
            return
        self.program.limit(low, high)
        if not self.sharpen():
            return
        shares = self.program.shares
        if self.program.whole:
            self.see(clustering(shares, self.program.m))
            return
        pair = int(np.argmin(np.abs(shares - 0.5) - 1e-3 * np.abs(self.program.scores)))
        for limit, value in ((low, 1.0), (high, 0.0)):
            part = limit.copy()
            part[pair] = value
            self.push(self.program.value, part if limit is low else low, part if limit is high else high)

    def sharpen(self) -> bool:
        """Add broken rows until there are none, or the branch is closed; False for the latter."""
        while True:
            if not self.program.solve():
                return False
            self.see(GreedyMerges().solve(Question(self.program.matrix() - 0.5)).label)
            if self.hopeless(self.program.value):
                return False
            rows = self.program.triangles()
            if not len(rows.start):
                rows = self.program.stars()
            if not len(rows.start):
                return True
            self.program.add(rows)


def polish(K: Array, labels: Ints) -> Ints:
    """The clustering after single items have moved, to any cluster or out of all, as long as one gains."""
    labels, m, moved = labels.copy(), len(K), True
    least = 1e-12 * m * float(np.max(np.abs(K)))
    while moved:
        moved = False
        for i in range(m):
            sums = np.bincount(labels, weights=K[i], minlength=m)
            sums[labels[i]] -= K[i, i]
            best = int(np.argmax(sums))  # a cluster without members has sum 0
            if sums[best] > sums[labels[i]] + least:
                labels[i], moved = best, True
    return labels
