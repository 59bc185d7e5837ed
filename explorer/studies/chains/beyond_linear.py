"""Networks in a chain where no linear emission can label: the exclusive or of two signs.

Lecture "Structured Learning", beyond the structural SVM: features of a trained network, a network trained
together with the chain, and a network as the score of whole labellings, beside linear emissions. The lecture
shows no numbers. Training is not convex, so nothing is certified but the linear rows. Cost: seconds.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, final

import numpy as np

from explorer.baselines.neural_chains import EMISSIONS, SCORER, NeuralChain, NeuralTraining, hidden_rows
from explorer.engine.checks import sequences
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.chains.problem import Chain
from explorer.studies.support.row_blocks import rows_from
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.sequence_fits import fit_chain, margin, right_share
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

LINEAR, FIXED, JOINT, SCORE = "linear", "fixed network", "joint network", "network as score"
WAYS = (LINEAR, FIXED, JOINT, SCORE)


@final
@settings
class BeyondLinear:
    """Accuracy of four ways."""

    name: ClassVar[str] = "beyond-linear"
    title: ClassVar[str] = "Networks in a chain"
    source: ClassVar[str] = "Lecture Structured Learning, beyond structured SVM (no numbers)"
    about: ClassVar[str] = (
        "A position is positive where two noisy numbers differ in sign, which no linear emission can tell. A "
        "small network is used as fixed features, trained together with the chain, or as the score itself."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("way", "way", key=True),
        Column("draw", "draw", form="d"),
        Column("accuracy", "test accuracy, %", form=".2f"),
    )
    plot: ClassVar[Plot] = Plot("bars", "way", ("accuracy",), of="table")

    n: int = knob(40, "Training sequences of 6 positions.", low=2, high=1000)
    n_test: int = knob(100, "Test sequences.", low=2, high=1000)
    noise: float = knob(0.3, "Standard deviation of the noise.", low=0.0, high=10.0)
    hidden: int = knob(8, "Hidden units.", low=1, high=100)
    passes: int = knob(40, "Passes of the networks.", low=1, high=1000)
    draws: int = knob(3, "Random draws.", low=1, high=100)
    seed: int = knob(0, "Which random draw comes first.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "BeyondLinear":
        return cls(n=10, n_test=20, passes=10, draws=1)

    @property
    def total(self) -> int:
        return len(WAYS) * self.draws

    @property
    def published(self) -> tuple[Row, ...]:
        """No numbers were printed."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Draw by draw."""
        return self.rows_after(0, pulse)

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        draws = range(self.seed, self.seed + self.draws)
        return rows_from([partial(self._draw, at, pulse) for at in draws], len(WAYS), count)

    def _draw(self, at: int, pulse: Pulse) -> Iterator[Row]:
        """All ways on one draw."""
        train, test = (exclusive_or(n, self.noise, 2 * at + k) for k, n in enumerate((self.n, self.n_test)))
        joint, score = (self._network(kind, train, at, pulse) for kind in (EMISSIONS, SCORER))
        yield row(way=LINEAR, draw=at, accuracy=_linear(train, test, pulse))
        fixed = _linear(hidden_rows(joint, train), hidden_rows(joint, test), pulse)
        yield row(way=FIXED, draw=at, accuracy=fixed)
        yield row(way=JOINT, draw=at, accuracy=_accuracy(joint, test))
        yield row(way=SCORE, draw=at, accuracy=_accuracy(score, test))

    def _network(self, kind: str, train: Dataset, at: int, pulse: Pulse) -> NeuralChain:
        """The network after the last pass."""
        learner = NeuralTraining(kind=kind, hidden=self.hidden, passes=self.passes, seed=at % 10_000)
        found = None
        for k, (met, net) in enumerate(learner.fit(train, 2)):
            pulse(f"draw {at}, {kind}, pass {k + 1}: mean cost {met:.3g}")
            found = net
        assert found is not None
        return found

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Means over the draws."""
        means = ((way, [found.number("accuracy") for found in where(rows, way=way)]) for way in WAYS)
        return tuple(row(way=way, accuracy=float(np.mean(own))) for way, own in means if own)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What networks are worth here."""
        whole = len(rows) == self.total
        seen = [found.number("accuracy") for found in self.table(rows)] if whole else []
        ahead = [x - seen[0] for x in seen[1:]]
        return (
            judge(
                "Every use of a network is at least 10 points ahead of linear emissions.",
                ahead,
                min(ahead, default=0.0) >= 10.0,
                "ahead by " + ", ".join(f"{x:+.1f}" for x in ahead),
            ),
        )


def exclusive_or(n: int, noise: float, seed: int) -> Dataset:
    """The label says whether the two numbers have different signs; a constant stands beside them."""
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 2, (n, 6, 2))
    seen = 2.0 * signs - 1.0 + noise * rng.normal(size=signs.shape)
    rows = np.concatenate([seen, np.ones((n, 6, 1))], axis=2)
    return sequences("exclusive or", list(rows), list(signs[..., 0] ^ signs[..., 1]), ("equal", "different"))


def _linear(train: Dataset, test: Dataset, pulse: Pulse) -> float:
    """A structural SVM of these rows."""
    problem = Chain(train, 2)
    return right_share(problem.on(test), fit_chain(problem, margin(100.0), 0.02, pulse).w)


def _accuracy(net: NeuralChain, test: Dataset) -> float:
    """The share of right positions, in per cent."""
    pairs = zip(test.inputs, test.labels, strict=True)
    return 100.0 * float(np.mean(np.concatenate([net.predict(x) == y for x, y in pairs])))
