"""From the conditional random field's sum to the structural SVM's maximum, by an inverse temperature.

    max_y s(y)  <=  1/beta log sum_y exp(beta s(y))  <=  max_y s(y) + log(number of labellings) / beta

Iglesias 2013, equation 3.13: a conditional random field minimises the log of a sum where the SVM minimises a
maximum. A small random field, all labellings listed, and a random chain, by the forward sums. Cost: the
number of labellings, or linear in it.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.data.random_fields import random_field
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.chains.kernels.viterbi import viterbi
from explorer.engine.theory.approximation import soft_chain, soft_field, softening
from explorer.studies.support.rows import judge, row
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

BETAS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
FIELD, CHAIN = "field", "chain"


@final
@settings
class Temperature:
    """Soft and hard maximum."""

    name: ClassVar[str] = "temperature"
    title: ClassVar[str] = "From a sum to a maximum"
    source: ClassVar[str] = "Iglesias 2013, equation 3.13"
    about: ClassVar[str] = (
        "The soft maximum of all labellings' scores at inverse temperature beta, beside the maximum itself. "
        "It lies above by at most log(number of labellings) / beta: cooled down, the random field's cost "
        "becomes the SVM's."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("graph", "graph", key=True),
        Column("beta", "beta", key=True, form="g"),
        Column("maximum", "maximum", form=".3f"),
        Column("soft", "soft maximum", form=".3f"),
        Column("excess", "above", form=".3g"),
        Column("bound", "at most", form=".3g"),
    )
    plot: ClassVar[Plot] = Plot("lines", "beta", ("excess", "bound"), series="graph", log=("x", "y"))

    nodes: int = knob(8, "Nodes of the field, all joined.", low=1, high=11)
    length: int = knob(50, "Positions of the chain.", low=1, high=10_000)
    states: int = knob(3, "States.", low=2, high=3)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "Temperature":
        return cls(nodes=6)

    @property
    def total(self) -> int:
        return 2 * len(BETAS)

    @property
    def published(self) -> tuple[Row, ...]:
        """An inequality, without numbers."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Hot to cold: the field, then the chain."""
        for graph in (FIELD, CHAIN):
            for beta in BETAS:
                pulse(f"{graph}, beta {beta:g}")
                top, soft = self._field(beta) if graph == FIELD else self._chain(beta)
                bound = softening(self.nodes if graph == FIELD else self.length, self.states, beta)
                yield row(graph=graph, beta=beta, maximum=top, soft=soft, excess=soft - top, bound=bound)

    def _field(self, beta: float) -> tuple[float, float]:
        return soft_field(random_field(self.nodes, self.states, seed=self.seed), beta)

    def _chain(self, beta: float) -> tuple[float, float]:
        rng, K = np.random.default_rng(self.seed), self.states
        unary, trans = rng.normal(size=(self.length, K)), rng.normal(size=(K, K))
        start, stop = rng.normal(size=K), rng.normal(size=K)
        top = viterbi(unary, trans, start, stop, np.empty(self.length, dtype=np.int64))
        return float(top), soft_chain(unary, trans, start, stop, beta)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Both inequalities."""
        excess, bound = ([found.number(name) for found in rows] for name in ("excess", "bound"))
        rounding = 1e-9
        return (
            judge(
                "The soft maximum is never below the maximum.",
                excess,
                min(excess, default=0.0) >= -rounding,
                f"above by {min(excess, default=0.0):.3g} to {max(excess, default=0.0):.3g}",
            ),
            judge(
                "It lies above by no more than log(number of labellings) / beta.",
                bound,
                all(e <= b + rounding for e, b in zip(excess, bound, strict=True)),
                f"{max((e / b for e, b in zip(excess, bound, strict=True)), default=0.0):.2f} of the bound "
                "at most",
            ),
        )
