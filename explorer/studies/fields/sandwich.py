"""The objective under an undergenerating, an exact and an overgenerating oracle: from below, itself, from
above.

    v_under <= v_exact + C eps,      v_exact <= v_over + C eps,
        v = 1/2 |w|^2 + C xi where each training ends

An undergenerating oracle misses cuts, so its program has fewer of them; an overgenerating one adds cuts that
no labelling makes. Finley 2009, section 5.3 and corollaries 1 and 2. Beside v, the true objective of the same
w by exhaustive search: when all have ended, exact training is never worse in it. Rows are rounds at powers of
two and the last one. Cost: three trainings, and a pass of exhaustive search for each row.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from explorer.engine.events import Step
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory.approximation import true_slack
from explorer.studies.support.fitting import cutting_planes
from explorer.studies.support.rows import judge, row, series, value, where
from explorer.studies.support.sets import SYNTH1, SYNTH2, examples, problem_of
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

UNDER, EXACT, OVER = "greedy", "exhaustive", "roof duality"


@final
@settings
class Sandwich:
    """Three objectives of the same problem."""

    name: ClassVar[str] = "sandwich"
    title: ClassVar[str] = "Below, exact, above"
    source: ClassVar[str] = "Finley 2009, section 5.3, corollaries 1 and 2"
    about: ClassVar[str] = (
        "The same problem is trained with greedy, exhaustive and relaxed answers. "
        "What greedy training believes to be the optimum lies below the true one, what relaxed training "
        "minimises above it."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("oracle", "oracle", key=True),
        Column("round", "round", key=True),
        Column("objective", "its own optimum so far", form=",.0f"),
        Column("true_objective", "true objective", form=",.0f"),
        Column("slack", "its own slack", form=".2f"),
        Column("ended", "ended"),
    )
    plot: ClassVar[Plot] = Plot(
        "lines", "round", ("objective", "true_objective"), series="oracle", log=("x", "y")
    )

    data: str = knob(SYNTH2, "Which set.", choices=(SYNTH1, SYNTH2))
    under: str = knob(
        UNDER, "The undergenerating oracle.", choices=(UNDER, "belief propagation", "combine", "ICM")
    )
    over: str = knob(OVER, "The overgenerating oracle.", choices=(OVER, "fast relaxation", "linear program"))
    C: float = knob(3e4, "Price of the mean slack.", low=1e-6, log=True)
    share: float = knob(1.0, "Share of the source's examples.", low=0.01, high=1.0)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    most: int = knob(4096, "Rounds at most.", low=1, high=1_000_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "Sandwich":
        return cls(share=0.05, C=300.0)

    @property
    def total(self) -> int:
        return 3 * (self.most.bit_length() + 2)

    @property
    def published(self) -> tuple[Row, ...]:
        """The source proves it and prints no numbers."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Oracle by oracle, rounds 0, 1, 2, 4, 8 and so on, and the last."""
        train, _ = examples(self.data, self.share, self.seed)
        for oracle in (self.under, EXACT, self.over):
            problem = problem_of(train, oracle, EXACT)

            for step in cutting_planes(problem, self.C, self.eps, self.most, pulse=at_place(pulse, oracle)):
                ended = not step.detail["added"] or step.k == self.most - 1
                if ended or not step.k & (step.k - 1):
                    yield self._row(oracle, problem, step, ended)

    def _row(self, oracle: str, problem: FieldLabelling, step: Step, ended: bool) -> Row:
        """Both objectives of one step."""
        half = 0.5 * float(step.w @ step.w)
        return row(
            oracle=oracle,
            round=step.k,
            objective=step.bounds.dual,
            true_objective=half + self.C * true_slack(problem, step.w),
            slack=step.detail["xi"],
            ended="yes" if ended else None,
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Where each training ended, or is."""
        return tuple(where(rows, oracle=oracle)[-1] for oracle in series(rows, "oracle"))

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The two inequalities, and that exact training is never worse."""
        ends = where(rows, ended="yes")
        names = (self.under, EXACT, self.over)
        under, exact, over = (value(ends, "objective", oracle=name) for name in names)
        true = {name: value(ends, "true_objective", oracle=name) for name in names}
        spare = self.C * self.eps
        return (
            judge(
                f"Undergenerating training ({self.under}) ends at an objective below the exact one.",
                (under, exact),
                under <= exact + spare,
                f"{under:,.0f} against {exact:,.0f} + {spare:,.0f}",
            ),
            judge(
                f"Overgenerating training ({self.over}) ends at an objective above the exact one.",
                (exact, over),
                exact <= over + spare,
                f"{over:,.0f} + {spare:,.0f} against {exact:,.0f}",
            ),
            judge(
                "When all have ended, exact training is never worse in the true objective.",
                tuple(true.values()),
                all(true[EXACT] <= other + spare for other in true.values()),
                ", ".join(f"{name} {objective:,.0f}" for name, objective in true.items()),
            ),
        )
