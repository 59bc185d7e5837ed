"""Training with an oracle that is wrong by a known factor rho, and predicting exactly.

For each of 11 values of rho: the training and test loss, what the oracle believed (xi) and what was true, and
what the theorems of `approximation.py` promise: the interval of the optimum (Theorem 9) and the risk bound of
a predictor that is as bad as the oracle (Theorem 10), both from the rho that the oracle really reached on the
last round, which is below the one asked for. Finley 2009, Table 5.5 and Figure 5.3. At rho = 0 the oracle
answers with the truths: nothing is ever learned, w = 0, every labelling ties, and the losses only tell how
ties are broken.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.events import Step
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import mean_loss
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory.approximation import (
    exactly,
    feasible_slack,
    interval,
    mean_answer,
    risk_bound,
    share,
)
from explorer.studies.support import tables
from explorer.studies.support.fitting import cutting_planes, final_step
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.sets import FIXED_C, SETS, SYNTH1, examples, problem_of
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

TIE = "w = 0: a tie-break"
ENDS_EARLY = "its oracle sees no slack"
CLIFF = 10.0


@final
@settings
class RhoSweep:
    """Losses against the quality of the training oracle."""

    name: ClassVar[str] = "rho-sweep"
    title: ClassVar[str] = "How bad may the training oracle be?"
    source: ClassVar[str] = "Finley 2009, Table 5.5 and Figure 5.3"
    about: ClassVar[str] = (
        "The training oracle returns the best labelling worth at most rho times the optimum; prediction is "
        "exact. "
        "Losses grow slowly as rho falls, without a cliff, while the oracle believes more and more often "
        "that all is well."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("rho", "rho", key=True, form="g"),
        Column("train_loss", "training loss, %", form=".2f"),
        Column("test_loss", "test loss, %", form=".2f"),
        Column("C", "C", form="g"),
        Column("rounds", "rounds", form=",d"),
        Column("believed", "slack believed", form=".2f"),
        Column("true_slack", "true slack", form=".2f"),
        Column("reached", "rho reached", form=".3f"),
        Column("low", "optimum at least", form=",.0f"),
        Column("high", "optimum at most", form=",.0f"),
        Column("risk_bound", "risk bound", form=".2f"),
        Column("remark", "remark"),
    )
    plot: ClassVar[Plot] = Plot("lines", "rho", ("train_loss", "test_loss"))

    data: str = knob(SYNTH1, "Which set.", choices=SETS)
    C: float = knob(0.0, "Price of the mean slack; 0: the fixed one of the set.", low=0.0)
    share: float = knob(1.0, "Share of the source's examples.", low=0.01, high=1.0)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "RhoSweep":
        return cls(data="synth2", share=0.05, C=300.0)

    @property
    def price(self) -> float:
        """C."""
        return self.C or FIXED_C[self.data]

    @property
    def total(self) -> int:
        return len(tables.RHO)

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 5.5."""
        pairs = zip(tables.RHO, tables.SWEEP[self.data], strict=True)
        return tuple(row(rho=rho, train_loss=train, test_loss=test) for rho, (train, test) in pairs)

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """From rho = 1 down to 0."""
        train, test = examples(self.data, self.share, self.seed)
        for rho in tables.RHO:
            problem = problem_of(train, f"known approximation(rho={rho})", "exhaustive")

            last = final_step(
                cutting_planes(problem, self.price, self.eps, pulse=at_place(pulse, f"rho = {rho:g}"))
            )
            yield self._row(rho, problem, last, test)

    def _row(self, rho: float, problem: FieldLabelling, last: Step, test: Dataset) -> Row:
        """Everything about one model."""
        exact, xi = exactly(problem), last.detail["xi"]
        found, best = mean_answer(problem, last.w), mean_answer(exact, last.w)
        reached = share(found.value, best.value)
        span = interval(last.w, xi, self.price, found, reached)
        feasible = feasible_slack(found, reached)
        nothing = not np.any(last.w)
        return row(
            rho=rho,
            train_loss=mean_loss(exact, last.w),
            test_loss=mean_loss(exact.on(test), last.w),
            C=self.price,
            rounds=last.k,
            believed=xi,
            true_slack=max(0.0, best.violation),
            reached=reached,
            low=span.low,
            high=span.high,
            risk_bound=risk_bound(found.truth, max(reached, 0.0), feasible),
            remark=TIE if nothing else ENDS_EARLY if rho < 1.0 and xi < self.eps else None,
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """No cliff, and what the theorems say."""
        test = {rho: value(rows, "test_loss", rho=rho) for rho in tables.RHO}
        near = [test[rho] for rho in tables.RHO if 0.9 <= rho < 1.0]
        worst = list(accumulate((test[rho] for rho in tables.RHO[:-1]), max))
        steps = [b - a for a, b in pairwise(worst)]
        default = tables.DEFAULT[self.data]
        bound = [(found.number("train_loss"), found.number("true_slack")) for found in rows]
        return (
            judge(
                "Training stays reasonable down to rho = 0.9: better than one constant labelling for all.",
                (test[1.0], *near),
                max(near) < default,
                f"{test[1.0]:.2f} % at rho = 1, {max(near):.2f} % at most from 0.99 to 0.9, constant "
                f"{default:.2f} %",
            ),
            judge(
                f"Test loss does not rise precipitously: no next smaller rho adds {CLIFF:g} points to the "
                "worst so far.",
                list(test.values()),
                max(steps) < CLIFF,
                f"the largest step adds {max(steps):.2f} points",
            ),
            judge(
                "The true slack bounds the training loss of exact predictions, whatever the oracle believed.",
                [number for pair in bound for number in pair],
                all(loss <= slack + 1e-9 for loss, slack in bound),
                f"in {sum(loss <= slack + 1e-9 for loss, slack in bound)} of {len(bound)} rows",
            ),
            judge(
                "At rho = 0 nothing is learned: no round, w = 0, and the printed losses are a matter of "
                "ties.",
                (value(rows, "rounds", rho=0.0),),
                value(rows, "rounds", rho=0.0) == 0.0 and any(found.get("remark") == TIE for found in rows),
                f"{value(rows, 'rounds', rho=0.0):.0f} rounds",
            ),
        )
