"""How often, and how badly, each oracle misses the best labelling of a random field.

    better(y) = number of labellings with a score strictly above score(y),      by listing all 2^m of them

Finley 2009, Figure 5.2: complete binary fields; lower curves are better. Where a relaxed oracle leaves a node
undecided, a coin decides, as in the source. The text there says 10 nodes, the caption 18: both can be had.
Cost: count 2^m scores.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.data.random_fields import KINDS, random_fields
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import Fields, unflatten
from explorer.engine.structures.fields.oracles.exhaustive import every_score
from explorer.engine.vectors import Array, Ints
from explorer.studies.support.rows import judge, row, series, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

GREEDY, BELIEF, COMBINE, CUT = "greedy", "belief propagation", "combine", "roof duality"
METHODS = (GREEDY, BELIEF, "belief propagation(damping=0.5)", COMBINE, CUT)
AT_ONCE = 100
"""Fields that are decoded together."""


@final
@settings
class InferenceQuality:
    """Labellings that beat the answer of each oracle."""

    name: ClassVar[str] = "inference-quality"
    title: ClassVar[str] = "How good are approximate answers?"
    source: ClassVar[str] = "Finley 2009, Figure 5.2"
    about: ClassVar[str] = (
        "Every oracle decodes the same random complete fields, and all labellings are listed to see how "
        "many are better. "
        "Belief propagation is right more often than greedy search and worse when it is wrong; the better "
        "of both is best."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("method", "oracle", key=True),
        Column("problem", "problem", key=True),
        Column("better", "better labellings", form=",d"),
        Column("undecided", "% undecided", form=".1f"),
        Column("optimal", "% optimal", form=".1f"),
        Column("mean", "mean # better", form=",.1f"),
        Column("p95", "95th percentile", form=",.0f"),
        Column("worst", "worst", form=",d"),
    )
    plot: ClassVar[Plot] = Plot("curves", "problem", ("better",), series="method", log=("y",))

    count: int = knob(1000, "Random fields.", low=1, high=100_000)
    nodes: int = knob(
        10, "Nodes of each; the source says 10 in the text and 18 in the caption.", low=2, high=18
    )
    kind: str = knob("uniform", "Potentials from U(-1, 1) or N(0, 1).", choices=KINDS)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "InferenceQuality":
        return cls(count=60)

    @property
    def total(self) -> int:
        return self.count * len(METHODS)

    @property
    def published(self) -> tuple[Row, ...]:
        """The source only shows a drawing."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Field by field, each oracle in turn."""
        for lo in range(0, self.count, AT_ONCE):
            pulse(f"field {lo} of {self.count}")
            yield from self._some(lo, min(AT_ONCE, self.count - lo))

    def _some(self, lo: int, count: int) -> Iterator[Row]:
        """Fields lo .. lo + count, drawn from the seed and lo alone."""
        rng = np.random.default_rng([self.seed, lo])
        fields = random_fields(count, self.nodes, kind=self.kind, seed=int(rng.integers(2**31)))
        answers = {method: hard_answers(method, fields, rng) for method in METHODS}
        for i in range(count):
            scores = every_score(fields.one(i))
            for method, (labels, open_share) in answers.items():
                mine = labels[fields.nodes[i] : fields.nodes[i + 1]]
                more = better_than(scores, mine)
                yield row(method=method, problem=lo + i, better=more, undecided=100.0 * open_share[i])

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """One line for each oracle."""
        return tuple(summary(str(method), where(rows, method=method)) for method in series(rows, "method"))

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The orderings that the source reads off its figure."""
        table = self.table(rows)
        share, worst = ({m: value(table, c, method=m) for m in METHODS} for c in ("optimal", "worst"))
        mean = {m: value(table, "mean", method=m) for m in METHODS}
        order = [share[m] for m in (COMBINE, BELIEF, GREEDY, CUT)]
        depth = [worst[m] for m in (BELIEF, GREEDY, COMBINE)]
        return (
            judge(
                "Belief propagation finds the optimum more often than greedy search.",
                (share[BELIEF], share[GREEDY]),
                share[BELIEF] > share[GREEDY],
                f"{share[BELIEF]:.1f} % against {share[GREEDY]:.1f} %",
            ),
            judge(
                "Optimal answers: combine, then belief propagation, then greedy search, then the filled-in "
                "cut.",
                order,
                order == sorted(order, reverse=True) and len(set(order)) == 4,
                " > ".join(f"{x:.1f} %" for x in order),
            ),
            judge(
                "When belief propagation is wrong it may be very wrong: its worst case is the worst, "
                "combine's the mildest.",
                depth,
                depth[0] > depth[1] > depth[2],
                " > ".join(f"{x:,.0f}" for x in depth)
                + " better labellings (belief propagation, greedy, combine)",
            ),
            judge(
                "The cut looks terrible once its undecided labels are filled in at random.",
                tuple(mean.values()),
                mean[CUT] == max(mean.values()),
                f"{mean[CUT]:,.1f} better labellings on average, "
                f"{value(table, 'undecided', method=CUT):.1f} % undecided",
            ),
        )


def hard_answers(method: str, fields: Fields, rng: np.random.Generator) -> tuple[Ints, Array]:
    """Hard labels of all fields, a coin for every undecided node, and each field's share of such nodes."""
    found = oracle_named(method).solve(fields)
    labels, left = np.array(found.labels), np.zeros(len(fields))
    for i, shares in found.fractions.items():
        a, b = int(fields.nodes[i]), int(fields.nodes[i + 1])
        halves = unflatten(shares, b - a, fields.states)[0].max(axis=1) < 1.0 - 1e-9
        labels[a:b][halves] = rng.integers(0, fields.states, int(halves.sum()))
        left[i] = float(np.mean(halves))
    return labels, left


def better_than(scores: Array, label: Ints) -> int:
    """How many labellings score strictly more."""
    own = scores[int(label @ 2 ** np.arange(len(label)))]
    return int(np.count_nonzero(scores > own))


def summary(method: str, rows: Sequence[Row]) -> Row:
    """What the curve of one oracle comes to."""
    better = np.array([found.number("better") for found in rows])
    return row(
        method=method,
        optimal=100.0 * float(np.mean(better == 0)),
        mean=float(np.mean(better)),
        p95=float(np.quantile(better, 0.95)),
        worst=int(better.max()),
        undecided=float(np.mean([found.number("undecided") for found in rows])),
    )
