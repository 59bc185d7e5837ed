"""Training with greedy merges or with the triangle relaxation: the same weights? And are they those of a
classifier of pairs?

    test      each model's pairwise loss under greedy merges and under the rounded relaxation
    compared  cos(w_a, w_b) of two trainings, and the features on which their signs differ
    weights   w / |w| of each training, feature by feature

Finley 2009, Tables 3.2 and 3.5, Figure 3.3, sections 3.6.6 and 3.6.7. Its articles are gone; these are
generated with the same 31 features (`data.news`), so only the order of the numbers can be compared. C is
chosen on the training days, for each training by itself. A relaxed solution is whole where every pair is
entirely together or apart: there rounding does nothing. On eight days the cosines are .994 between the
oracles and .745 and .760 with the pairs, where the source prints .999 and .205. Two of its findings do not
hold there: the pairs do worse (5.4 against 1.1, where it prints 2.45 and 2.36), for a generated article joins
a topic through any of its fields, which only a clustering can follow; and after relaxed training one test day
of fifteen is answered with shares. Cost: one linear program for each training day and round; with greedy
merges a training took about a tenth of that or less.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.news import news
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.clusterings.oracles import (
    GreedyMerges,
    RoundedRelaxation,
    TriangleRelaxation,
)
from explorer.engine.structures.clusterings.partitions import is_relaxed
from explorer.engine.structures.clusterings.question import ClusterOracle
from explorer.engine.vectors import Array
from explorer.studies.support.correlation_sets import (
    SIGNIFICANT,
    Manner,
    Trained,
    correlation,
    decades,
    default_losses,
    losses_of,
    machine,
    pair_machine,
    paired_test,
)
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.sets import standard_error
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

GREEDY, RELAXED, PCC, DEFAULT = "greedy merges", "triangle relaxation", "pair classifier", "default"
ROUNDED = RoundedRelaxation.title
PREDICTORS: dict[str, ClusterOracle] = {GREEDY: GreedyMerges(), ROUNDED: RoundedRelaxation()}
TRIPLES = ("text: triples of words", "text: triples of words, stemmed")
WORDS = ("text: words", "text: words, stemmed")

PRINTED = {
    GREEDY: {GREEDY: 2.36, RELAXED: 2.43, PCC: 2.45, DEFAULT: 9.45},
    ROUNDED: {GREEDY: 2.04, RELAXED: 2.08, PCC: 1.96, DEFAULT: 9.45},
}
"""Tables 3.2 and 3.5: by predictor, then by training."""

COSINES = {(GREEDY, RELAXED): 0.999, (GREEDY, PCC): 0.205, (RELAXED, PCC): 0.205}
OPPOSITE = 3
CLOSE, CLEARLY = 0.95, 0.1
"""What counts as the same weights, and as clearly further away."""


@final
@settings
class GreedyAndRelaxed:
    """Two oracles and a classifier of pairs."""

    name: ClassVar[str] = "greedy-and-relaxed"
    title: ClassVar[str] = "Greedy or relaxed: the same weights?"
    source: ClassVar[str] = "Finley 2009, Tables 3.2 and 3.5, Figure 3.3"
    about: ClassVar[str] = (
        "Topics of news are learned with a greedy oracle, with a linear relaxation, and pair by pair. "
        "The two oracles are known for almost equal weights, the classifier of pairs for quite different "
        "ones; on these articles it also does worse, for topics hang together through other articles, which "
        "pairs alone do not show."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("trained", "trained with", key=True),
        Column("predictor", "predicted with", key=True),
        Column("whose", "weights of", key=True),
        Column("other", "compared with", key=True),
        Column("feature", "feature", key=True),
        Column("loss", "test loss", form=".2f"),
        Column("error", "s.e.", form=".2f"),
        Column("difference", "minus greedy training", form="+.2f"),
        Column("p", "p, paired t", form=".3f"),
        Column("whole", "whole solutions, %", form=".0f"),
        Column("cosine", "cosine", form=".3f"),
        Column("opposite", "signs that differ", form=".0f"),
        Column("weight", "weight", form="+.3f"),
        Column("C", "C", form="g"),
        Column("rounds", "rounds", form=",.0f"),
        Column("seconds", "seconds", form=".1f"),
    )
    plot: ClassVar[Plot] = Plot("bars", "feature", ("weight",), series="whose")

    days: int = knob(8, "Days to train on; 15 in the source.", low=2, high=60)
    days_test: int = knob(15, "Days to test on; 15 in the source.", low=2, high=60)
    topics: int = knob(6, "Topics of a day; at most 10 in the source.", low=2, high=15)
    articles: int = knob(8, "Most articles of a topic; 15 in the source.", low=2, high=20)
    failures: float = knob(0.3, "Share of articles whose extraction fails.", low=0.0, high=1.0)
    least: float = knob(1e5, "The smallest C that is tried; then powers of ten.", low=1e-6, log=True)
    most: float = knob(1e8, "The largest C that is tried.", low=1e-6, log=True)
    folds: int = knob(3, "Folds of the cross validation that chooses C; 5 in the source.", low=2, high=30)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    rounds: int = knob(200, "Rounds at most, at each C.", low=1, high=100_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def __post_init__(self) -> None:
        decades(self.least, self.most)

    @classmethod
    def quick(cls) -> "GreedyAndRelaxed":
        return cls(days=3, days_test=4, topics=4, articles=4, least=1e6, most=1e6, eps=0.5)

    @property
    def total(self) -> int:
        return 8 + len(COSINES) + 3 * 31

    @property
    def published(self) -> tuple[Row, ...]:
        """The losses and the cosines; Figure 3.3 has no numbers."""
        tests = (
            row(trained=trained, predictor=predictor, loss=loss)
            for predictor, losses in PRINTED.items()
            for trained, loss in losses.items()
        )
        told = (
            row(whose=a, other=b, cosine=cosine, opposite=OPPOSITE if b == RELAXED else None)
            for (a, b), cosine in COSINES.items()
        )
        return (*tests, *told)

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Each training under both predictors, then the weights side by side."""
        train, test = news(self.days, self.days_test, self.topics, self.articles, self.failures, self.seed)
        for predictor in PREDICTORS:
            losses = default_losses(correlation(test), "all apart")
            yield row(
                trained=DEFAULT, predictor=predictor, loss=np.mean(losses), error=standard_error(losses)
            )
        models, base = dict[str, Trained](), dict[str, Array]()
        for trained in (GREEDY, RELAXED, PCC):
            models[trained] = self._trained(trained, train, at_place(pulse, trained))
            for predictor in PREDICTORS:
                pulse(f"{trained}: predicting with {predictor}")
                yield _tested(trained, predictor, models[trained], test, base)
        yield from compare_trainings(
            {name: model.w for name, model in models.items()}, train.meta["features"]
        )

    def _trained(self, trained: str, train: Dataset, pulse: Pulse) -> Trained:
        """One model at its own best C."""
        manner = Manner(decades(self.least, self.most), self.folds, self.eps, self.rounds, self.seed)
        if trained == PCC:
            return pair_machine(correlation(train), manner, pulse)
        relaxed = trained == RELAXED
        problem = correlation(
            train,
            separator=TriangleRelaxation() if relaxed else GreedyMerges(),
            predictor=PREDICTORS[ROUNDED if relaxed else GREEDY],
        )
        return machine(problem, manner, pulse)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Losses and cosines; the weights are for the picture."""
        return tuple(found for found in rows if "feature" not in found)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Weights, then losses, then whether rounding mattered."""
        learned = (_better(rows, trained) for trained in (GREEDY, RELAXED, PCC))
        return (_same(rows), _apart(rows), _triples(rows), _words(rows), *learned, _alike(rows), _whole(rows))


def _tested(trained: str, predictor: str, model: Trained, test: Dataset, base: dict[str, Array]) -> Row:
    """The losses of a model under a predictor, and how they differ from those of greedy training, which comes
    first.
    """
    problem = correlation(test, predictor=PREDICTORS[predictor])
    losses = losses_of(problem, model.w)
    first = base.setdefault(predictor, losses)
    found = paired_test(losses, first)
    against = {} if first is losses else {"difference": found.difference, "p": found.p}
    whole = None
    if predictor == ROUNDED:
        shares = correlation(test, predictor=TriangleRelaxation()).predictions(model.w)
        whole = 100.0 * float(np.mean([not is_relaxed(label) for label in shares]))
    cost = {"C": model.C, "rounds": model.rounds, "seconds": model.seconds}
    mean, error = float(np.mean(losses)), standard_error(losses)
    return row(trained=trained, predictor=predictor, loss=mean, error=error, **against, whole=whole, **cost)


def compare_trainings(weights: dict[str, Array], features: Sequence[str]) -> Iterator[Row]:
    """Cosines and differing signs of all pairs of trainings, then every weight of every unit vector."""
    units = {name: w / (float(np.linalg.norm(w)) or 1.0) for name, w in weights.items()}
    for a, b in combinations(units, 2):
        opposite = int(np.count_nonzero(units[a] * units[b] < 0.0))
        yield row(whose=a, other=b, cosine=float(units[a] @ units[b]), opposite=opposite)
    for f, feature in enumerate(features):
        yield from (row(whose=name, feature=feature, weight=unit[f]) for name, unit in units.items())


def _same(rows: Sequence[Row]) -> Finding:
    cosine, opposite = (value(rows, name, whose=GREEDY, other=RELAXED) for name in ("cosine", "opposite"))
    return judge(
        f"Greedy and relaxed training find almost the same weights: a cosine of at least {CLOSE:g}.",
        (cosine,),
        cosine >= CLOSE,
        f"cosine {cosine:.3f}, {opposite:.0f} signs differ",
    )


def _apart(rows: Sequence[Row]) -> Finding:
    near = value(rows, "cosine", whose=GREEDY, other=RELAXED)
    far = [value(rows, "cosine", whose=name, other=PCC) for name in (GREEDY, RELAXED)]
    return judge(
        "The classifier of pairs finds clearly other weights: its cosines are smaller by more than "
        f"{CLEARLY:g}.",
        (near, *far),
        max(far) < near - CLEARLY,
        f"{far[0]:.3f} and {far[1]:.3f} against {near:.3f}",
    )


def _triples(rows: Sequence[Row]) -> Finding:
    found = [value(rows, "weight", whose=name, feature=f) for name in (GREEDY, RELAXED) for f in TRIPLES]
    return judge(
        "Triples of words in the text count against two articles, because failed extractions repeat them.",
        found,
        max(found) < 0.0,
        f"weights {', '.join(f'{weight:+.3f}' for weight in found)}",
    )


def _words(rows: Sequence[Row]) -> Finding:
    """Whether the largest weights of both oracles are those of single words of the text."""
    best = {
        name: max((r for r in rows if r.get("whose") == name and "feature" in r), key=_weight, default=None)
        for name in (GREEDY, RELAXED)
    }
    said = [f"{name}: {found['feature']} ({_weight(found):+.3f})" for name, found in best.items() if found]
    return judge(
        "The largest weight is that of single words of the text.",
        [_weight(found) if found else float("nan") for found in best.values()],
        all(found is not None and found["feature"] in WORDS for found in best.values()),
        "; ".join(said),
    )


def _weight(found: Row) -> float:
    return found.number("weight")


def _better(rows: Sequence[Row], trained: str) -> Finding:
    ours, floor = (
        [value(rows, "loss", trained=name, predictor=predictor) for predictor in PREDICTORS]
        for name in (trained, DEFAULT)
    )
    return judge(
        f"Training beats leaving all apart: {trained}.",
        (*ours, *floor),
        all(mine < other for mine, other in zip(ours, floor, strict=True)),
        f"{ours[0]:.2f} and {ours[1]:.2f} against {floor[0]:.2f}",
    )


def _alike(rows: Sequence[Row]) -> Finding:
    found = {
        (trained, predictor): value(rows, "p", trained=trained, predictor=predictor)
        for trained in (RELAXED, PCC)
        for predictor in PREDICTORS
    }
    return judge(
        "No training differs significantly from greedy training under the same predictor.",
        tuple(found.values()),
        all(p >= SIGNIFICANT for p in found.values()),
        ", ".join(f"{trained} under {predictor}: p = {p:.3f}" for (trained, predictor), p in found.items()),
    )


def _whole(rows: Sequence[Row]) -> Finding:
    found = [value(rows, "whole", trained=name, predictor=ROUNDED) for name in (GREEDY, RELAXED)]
    return judge(
        "At prediction the relaxed solutions are always whole, so that rounding does nothing.",
        found,
        min(found) == 100.0,
        f"whole on {found[0]:.0f} % and {found[1]:.0f} % of the test days",
    )
