"""Decoding noisy grids: truth constant on 8 x 8 patches, unit noise, Potts 0.6, four neighbours.

Beside ours: HiGHS on the same linear program and scipy's maximum flow on the same cut (it takes whole
numbers, so capacities are rounded to a millionth).
Scores are computed by one function for all; a gap is (bound - score) / score with the bound that the method
itself proves.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from explorer.bench.work import Clock, Outcome, Record, Verdict, Work
from explorer.engine.data.random_fields import patches
from explorer.engine.structures.fields.fields import Fields, hard
from explorer.engine.structures.fields.oracles import Belief, Expansion, GraphCut, RoofDuality
from explorer.engine.structures.fields.oracles.linear_program import LinearProgram
from explorer.engine.structures.fields.oracles.relaxation import Relaxation

SIZES = {"16x16x2": (16, 2), "48x48x2": (48, 2), "16x16x5": (16, 5), "48x48x5": (48, 5), "96x96x4": (96, 4)}
BESIDE = {
    "graph cut": ("scipy maximum flow", ("16x16x2", "48x48x2")),
    "fast relaxation": ("HiGHS", ("16x16x2",)),
}
"""The other system that solves the same program, and where both are run."""

CALLS = 5
SCALE = 1_000_000


def load(folder: Path | None) -> dict[str, Fields]:
    """The grids by their names."""
    return {name: patches(size, size, states, seed=0) for name, (size, states) in SIZES.items()}


def decoder(
    oracle: Any, names: tuple[str, ...], calls: int = CALLS
) -> Callable[[dict[str, Fields]], Outcome]:
    """The median processor time of some calls on each grid, with the score and the bound of the answer."""

    def run(grids: dict[str, Fields]) -> Outcome:
        facts: Record = {}
        for name in names:
            field = grids[name]
            found: Any = oracle.solve(field) if calls > 1 else None
            took = []
            with Clock() as clock:
                for _ in range(calls):
                    began = time.process_time()
                    found = oracle.solve(field)
                    took.append(time.process_time() - began)
            score = float(field.scores(found.labels)[0])
            facts |= {f"{name} ms": 1000.0 * float(np.median(took)), f"{name} score": score}
            if np.isfinite(found.bound[0]):
                facts[f"{name} gap"] = (float(found.bound[0]) - score) / score
        return Outcome(clock, facts=facts)

    return run


class ScipyFlow:
    """The minimum cut of a Potts grid by scipy's maximum flow, in whole numbers."""

    def solve(self, field: Fields) -> Any:
        """Hard labels: nodes on the far side of the cut have state 1."""
        m, gain = len(field.unary), np.rint(SCALE * (field.unary[:, 1] - field.unary[:, 0])).astype(np.int64)
        source, sink, pull = m, m + 1, int(np.rint(SCALE * field.pair[0, 0, 0]))
        a, b, nodes = field.ends[:, 0], field.ends[:, 1], np.arange(m)
        tail = np.concatenate([a, b, np.full(m, source), nodes])
        head = np.concatenate([b, a, nodes, np.full(m, sink)])
        room = np.concatenate([np.full(2 * len(a), pull), np.maximum(-gain, 0), np.maximum(gain, 0)])
        graph = csr_array((room.astype(np.int32), (tail, head)), shape=(m + 2, m + 2))
        left: Any = graph - maximum_flow(graph, source, sink).flow
        left.data = np.maximum(left.data, 0)
        left.eliminate_zeros()
        labels = np.ones(m, np.int64)
        reached = breadth_first_order(left, source, return_predecessors=False)
        labels[reached[reached < m]] = 0
        return hard(field, labels)


def score(grids: dict[str, Fields], outcome: Outcome) -> Record:
    """Everything is among the facts."""
    return {}


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Each method against the other system that solves the same program."""
    found = []
    for method, (other, names) in BESIDE.items():
        for name in names:
            mine, theirs = (
                summary.get(who, {}).get("facts", {}).get(f"{name} ms") for who in (method, other)
            )
            if mine and theirs:
                asked = f"{method}, {name}: not slower than {other}"
                text = f"{mine:.2f} ms, {theirs / mine:.1f} times as fast"
                found.append(Verdict(asked, text, mine <= theirs))
    return found


TWO, ALL = ("16x16x2", "48x48x2"), tuple(SIZES)

WORK = Work(
    "grids",
    "noisy grids decoded by every fast oracle; scipy's maximum flow and HiGHS beside them",
    load,
    {
        "fast relaxation": decoder(Relaxation(), ALL),
        "graph cut": decoder(GraphCut(), TWO),
        "roof duality": decoder(RoofDuality(), TWO),
        "alpha-expansion": decoder(Expansion(), ALL),
        "belief propagation": decoder(Belief(), ALL, 3),
        "scipy maximum flow": decoder(ScipyFlow(), TWO),
        "HiGHS": decoder(LinearProgram(), ("16x16x2",), 1),
    },
    score,
    judge,
    once=("HiGHS",),
)
