"""Taggers that decide from left to right: single positions, imitation, SEARN, and exact training beside them.

Daume, Langford and Marcu 2009; exact imitation is its simplest rival. Sticky chains of three states are
seen through much noise: a greedy tagger that has only ever seen right tags before it goes on with its own
mistakes, one that was trained on its own decisions less so. The last two rows decode exactly. Cost: seconds.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, final

import numpy as np

from explorer.baselines.searn import Searn, as_weights, chain_with_beam, imitate
from explorer.engine.checks import sequences
from explorer.engine.contracts import Dataset
from explorer.engine.data.hmm import markov_chains
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import mean_loss
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array
from explorer.studies.support.row_blocks import rows_from
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.sequence_fits import fit_chain, margin
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

APART, IMITATION, SEARN = "single positions", "imitation", "SEARN"
BEAM, EXACT = "SEARN, beam of 5", "SVM, Viterbi"
WAYS = (APART, IMITATION, SEARN, BEAM, EXACT)
STATES, LENGTH = 3, 8


@final
@settings
class LearningToSearch:
    """Wrong positions of five ways."""

    name: ClassVar[str] = "learning-to-search"
    title: ClassVar[str] = "Trained on one's own decisions"
    source: ClassVar[str] = "Daume, Langford, Marcu 2009 (no table is reproduced)"
    about: ClassVar[str] = (
        "A greedy tagger is trained on the truth alone, or by SEARN on decisions that it meets itself. "
        "A classifier of single positions, a wider beam and a structural SVM stand beside them."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("way", "way", key=True),
        Column("draw", "draw", form="d"),
        Column("loss", "wrong positions of 8", form=".3f"),
        Column("weight", "weight left to the truth", form=".3f"),
    )
    plot: ClassVar[Plot] = Plot("bars", "way", ("loss",), of="table")

    n: int = knob(25, "Training sequences.", low=2, high=1000)
    n_test: int = knob(100, "Test sequences.", low=2, high=1000)
    noise: float = knob(0.8, "Standard deviation of what is observed.", low=0.01, high=10.0)
    draws: int = knob(5, "Random draws.", low=1, high=100)
    beta: float = knob(0.3, "Weight of each new classifier of SEARN.", low=0.01, high=1.0)
    seed: int = knob(0, "Which random draw comes first.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "LearningToSearch":
        return cls(n=6, n_test=20, draws=1)

    @property
    def total(self) -> int:
        return len(WAYS) * self.draws

    @property
    def published(self) -> tuple[Row, ...]:
        """Other tasks than this one."""
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
        train, test = (
            noisy_chains(n, self.noise, s) for n, s in ((self.n, 2 * at), (self.n_test, 2 * at + 1))
        )
        greedy = chain_with_beam(test, STATES)
        apart = as_weights(imitate(train, STATES, history=False), STATES, history=False)
        yield row(way=APART, draw=at, loss=mean_loss(greedy, apart))
        yield row(way=IMITATION, draw=at, loss=mean_loss(greedy, as_weights(imitate(train, STATES), STATES)))
        w, weight = self._searn(train, at, pulse)
        yield row(way=SEARN, draw=at, loss=mean_loss(greedy, w), weight=weight)
        yield row(way=BEAM, draw=at, loss=mean_loss(chain_with_beam(test, STATES, 5), w), weight=weight)
        exact = fit_chain(Chain(train, STATES), margin(10.0), 0.01, pulse).w
        yield row(way=EXACT, draw=at, loss=mean_loss(Chain(test, STATES), exact))

    def _searn(self, train: Dataset, at: int, pulse: Pulse) -> tuple[Array, float]:
        """The weights after the last round, and what is left to the true policy."""
        for found in Searn(beta=self.beta, seed=at % 10_000).rounds(train, STATES):
            pulse(f"draw {at}, round {found.k + 1}, {found.true_weight:.2f} left to the truth")
        return as_weights(found.costs, STATES), found.true_weight

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Means over the draws."""
        means = ((way, [found.number("loss") for found in where(rows, way=way)]) for way in WAYS)
        return tuple(row(way=way, loss=float(np.mean(losses))) for way, losses in means if losses)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Whether training on one's own decisions helps."""
        whole = len(rows) == self.total
        loss = {found["way"]: found.number("loss") for found in self.table(rows)} if whole else {}
        apart, imitation, searn = (loss.get(way, float("nan")) for way in (APART, IMITATION, SEARN))
        return (
            judge(
                "SEARN loses no more than exact imitation.",
                (imitation, searn),
                searn <= imitation,
                f"{searn:.3f} against {imitation:.3f}",
            ),
            judge(
                "It loses no more than a classifier of single positions.",
                (apart, searn),
                searn <= apart,
                f"{searn:.3f} against {apart:.3f}",
            ),
        )


def noisy_chains(n: int, noise: float, seed: int) -> Dataset:
    """Sticky chains of three states, each seen as a noisy unit vector and a constant."""
    rng = np.random.default_rng(seed)
    moves = 0.75 * np.eye(STATES) + 0.25 / STATES
    labels = markov_chains(rng, np.full(STATES, 1.0 / STATES), moves, n, LENGTH)
    seen = np.eye(STATES)[labels] + noise * rng.normal(size=(n, LENGTH, STATES))
    rows = np.concatenate([seen, np.ones((n, LENGTH, 1))], axis=2)
    return sequences("noisy chains", list(rows), list(labels), ("a", "b", "c"))
