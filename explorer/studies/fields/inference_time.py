"""How long each oracle takes for one random field, against its number of nodes.

Finley 2009, Figure 5.1: complete binary fields with random potentials, whose distribution is not stated: here
U(-1, 1) and N(0, 1). Nor are the settings of belief propagation: here undamped, and with half of every
message kept. Fast oracles are given fields in batches that stay on one thread, so that the cost of a call
from Python is shared; slow ones get a few fields. Every oracle has decoded a field of the same kind before
its clock starts, so that nothing is compiled meanwhile. The clock is that thread's own, so that other
programs hardly matter, and of `repeats` batches the fastest counts. Exhaustive search stops where there are
too many labellings.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, ClassVar, final

import numpy as np

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.data.random_fields import KINDS, random_fields
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.threads import SMALL
from explorer.studies.support.rows import judge, row, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

CUT, BELIEF, PROGRAM, EXHAUSTIVE = "roof duality", "belief propagation", "linear program", "exhaustive"
DAMPED = "damped propagation"
NAMES = {DAMPED: f"{BELIEF}(damping=0.5)"}
"""What the catalogue calls an oracle whose name here is shorter."""

METHODS = ("greedy", BELIEF, DAMPED, "combine", CUT, "fast relaxation", PROGRAM, EXHAUSTIVE)
BOTH = "both"
SLOW = (PROGRAM, EXHAUSTIVE)
WARM = 5
"""Nodes of the fields that come before the clock starts."""

LARGEST = {EXHAUSTIVE: 15}
"""Nodes at most, where an oracle cannot take more."""


@final
@settings
class InferenceTime:
    """Microseconds per field."""

    name: ClassVar[str] = "inference-time"
    title: ClassVar[str] = "How fast are approximate answers?"
    source: ClassVar[str] = "Finley 2009, Figure 5.1"
    about: ClassVar[str] = (
        "Every oracle decodes random complete fields of growing size, one thread each. "
        "The cut gives the same answers as the linear program in a small part of its time."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("kind", "potentials", key=True),
        Column("method", "oracle", key=True),
        Column("nodes", "nodes", key=True),
        Column("microseconds", "microseconds per field", form=",.1f"),
        Column("problems", "fields", form=",d"),
    )
    plot: ClassVar[Plot] = Plot(
        "lines", "nodes", ("microseconds",), series="method", panel="kind", log=("x", "y")
    )

    sizes: int = knob(8, "How many sizes.", low=1, high=40)
    smallest: int = knob(5, "Nodes of the smallest field; others are multiples of it.", low=2, high=40)
    batch: int = knob(60, "Fields given to a fast oracle at once.", low=1, high=SMALL - 1)
    few: int = knob(3, "Fields given to a slow oracle at once.", low=1, high=SMALL - 1)
    repeats: int = knob(3, "Batches, of which the fastest counts.", low=1, high=1000)
    kind: str = knob(BOTH, "Potentials from U(-1, 1), from N(0, 1), or both.", choices=(BOTH, *KINDS))
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "InferenceTime":
        return cls(sizes=3, batch=10, few=1, repeats=1)

    @property
    def nodes(self) -> tuple[int, ...]:
        """The sizes."""
        return tuple(self.smallest * (k + 1) for k in range(self.sizes))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The distributions of potentials."""
        return KINDS if self.kind == BOTH else (self.kind,)

    @property
    def total(self) -> int:
        return len(self.kinds) * sum(m <= LARGEST.get(method, m) for method in METHODS for m in self.nodes)

    @property
    def published(self) -> tuple[Row, ...]:
        """The source only shows a drawing."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Size by size, so that all curves grow together."""
        oracles = {method: oracle_named(NAMES.get(method, method)) for method in METHODS}
        for method, oracle in oracles.items():
            pulse(f"warming up {method}")
            oracle.solve(random_fields(2, WARM, kind=self.kinds[0], seed=self.seed))
        for m, kind, method in product(self.nodes, self.kinds, METHODS):
            if m <= LARGEST.get(method, m):
                pulse(f"{method}, {m} nodes, {kind}")
                yield self._measured(kind, method, oracles[method], m)

    def _measured(self, kind: str, method: str, oracle: Any, m: int) -> Row:
        count = self.few if method in SLOW else self.batch
        batches = (random_fields(count, m, kind=kind, seed=self.seed + k) for k in range(self.repeats))
        best = 1e6 * min(seconds(oracle, fields) for fields in batches) / count
        return row(kind=kind, method=method, nodes=m, microseconds=best, problems=count * self.repeats)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What the source says, for every distribution."""
        return tuple(finding for kind in self.kinds for finding in comparisons(where(rows, kind=kind), kind))


def comparisons(rows: Sequence[Row], kind: str) -> tuple[Finding, ...]:
    """The two comparisons that the source makes, at the largest size that all of them had; with belief
    propagation in both its settings.
    """
    sizes = [
        {int(found.number("nodes")) for found in where(rows, method=m)}
        for m in (CUT, BELIEF, DAMPED, PROGRAM)
    ]
    at = max(set.intersection(*sizes), default=0)
    cut, program = (value(rows, "microseconds", method=m, nodes=at) for m in (CUT, PROGRAM))
    factor = program / cut if cut > 0.0 else np.nan
    return (
        judge(
            f"Potentials {kind}: the linear program takes at least ten times as long as the cut.",
            (factor,),
            factor >= 10.0,
            f"{program:,.0f} against {cut:,.0f} microseconds at {at} nodes",
        ),
        judge(
            f"Potentials {kind}: it is orders of magnitude slower than the cut: at least a hundred times.",
            (factor,),
            factor >= 100.0,
            f"{factor:,.0f} times as slow at {at} nodes",
        ),
        *(
            _faster(kind, cut, m, value(rows, "microseconds", method=m, nodes=at), at)
            for m in (BELIEF, DAMPED)
        ),
    )


def _faster(kind: str, cut: float, method: str, belief: float, at: int) -> Finding:
    return judge(
        f"Potentials {kind}: the cut is substantially faster than {method}.",
        (cut, belief),
        2.0 * cut <= belief,
        f"{cut:,.0f} against {belief:,.0f} microseconds at {at} nodes; depends on the flow code and on the "
        "sweeps",
    )


def seconds(oracle: Any, fields: Fields) -> float:
    """How long one batch keeps this thread busy."""
    began = time.thread_time()
    oracle.solve(fields)
    return time.thread_time() - began
