"""Belief propagation declares victory: what it believes about the slack of a model, and what exhaustive
search says.

    believed   xi, the slack over the cuts that it found, and b - w . a, the violation that it reports
    true       mean_i max_y H_i(y), by listing all labellings at the same w

Finley 2009, section 5.5.2, finding (b), on Synth2 at C = 3e4: the oracle's answers are bad labellings, so
their mean violation is negative although violated labellings abound, and the algorithm stops. Rows are rounds
of 1-slack cutting planes as published. Cost: a pass of either oracle for each round.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from explorer.engine.knobs import knob, settings
from explorer.engine.theory.approximation import true_slack
from explorer.studies.support.fitting import cutting_planes
from explorer.studies.support.rows import judge, row, series, value, where
from explorer.studies.support.sets import SYNTH2, examples, problem_of
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

WITH, WITHOUT = "with a constant feature", "as printed"


@final
@settings
class EarlyStop:
    """What an oracle believes, round by round, and what is true."""

    name: ClassVar[str] = "early-stop"
    title: ClassVar[str] = "When the oracle declares victory"
    source: ClassVar[str] = "Finley 2009, section 5.5.2"
    about: ClassVar[str] = (
        "Belief propagation trains on Synth2 and reports after a few rounds that no cut is violated. "
        "Exhaustive search at the same weights finds a large slack: the oracle was blind, not the model good."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("model", "features", key=True),
        Column("round", "round", key=True),
        Column("believed", "slack believed", form=".2f"),
        Column("reported", "violation reported", form=".2f"),
        Column("true_slack", "true slack", form=".2f"),
    )
    plot: ClassVar[Plot] = Plot("lines", "round", ("believed", "reported", "true_slack"), panel="model")

    oracle: str = knob(
        "belief propagation", "Whom to watch.", choices=("belief propagation", "greedy", "combine")
    )
    C: float = knob(3e4, "Price of the mean slack.", low=1e-6, log=True)
    share: float = knob(1.0, "Share of the source's examples.", low=0.01, high=1.0)
    most: int = knob(60, "Rounds at most.", low=1, high=10_000)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "EarlyStop":
        return cls(share=0.1)

    @property
    def total(self) -> int:
        return 2 * self.most

    @property
    def published(self) -> tuple[Row, ...]:
        """The source tells it in words."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Round by round, with and without the constant feature."""
        for model in (WITH, WITHOUT):
            train, _ = examples(SYNTH2, self.share, self.seed, model == WITH)
            problem = problem_of(train, self.oracle, "exhaustive")
            for step in cutting_planes(problem, self.C, self.eps, self.most, pulse=pulse):
                yield row(
                    model=model,
                    round=step.k,
                    believed=step.detail["xi"],
                    reported=step.detail["violation"],
                    true_slack=true_slack(problem, step.w),
                )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """How soon it ends, and how wrong it is then."""
        return tuple(self._ended(rows, str(model)) for model in series(rows, "model"))

    def _ended(self, rows: Sequence[Row], model: str) -> Finding:
        count = len(where(rows, model=model))
        names = ("believed", "reported", "true_slack")
        believed, reported, true = (value(rows, name, model=model) for name in names)
        return judge(
            f"Synth2 {model}: {self.oracle} stops early and believes that there is no slack left, which is "
            "far from true.",
            (believed, reported, true),
            reported <= believed + self.eps and count < self.most and believed < 0.1 and true > 20.0,
            f"{count - 1} rounds, slack believed {believed:.3g}, true {true:.1f}",
        )
