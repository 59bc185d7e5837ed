"""The catalogue: which data, which problem, which sensible defaults; and the recipe that makes any run again.

A Task joins a family of data (a record of knobs with `make`) to a problem, the losses and oracles that it may be given,
and the learner to begin with. A Recipe names a task and every choice made in it: it is plain data (JSON), builds the
problem and the learner, and travels in run bundles, links and command lines.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from explorer.engine.data import blocks, digits, hmm, toys, words
from explorer.engine.learners import LEARNERS, by_name
from explorer.engine.losses import AnyLoss, CostMatrix, Hamming, ZeroOne
from explorer.engine.oracles import oracle_named
from explorer.engine.problems.binary import Binary
from explorer.engine.problems.chain import Chain
from explorer.engine.problems.multiclass import Multiclass
from explorer.engine.protocols import Dataset, Learner, Pricing, Problem, Refused, check_knobs, knob
from explorer.engine.streams import Until

Pair = tuple[Dataset, Dataset | None]


@dataclass(frozen=True, slots=True)
class FourPoints:
    """Four points on a line, the toy of the objective-surface figure."""

    def make(self) -> Pair:
        """The four points; there is nothing to test on."""
        return toys.four_points(), None


@dataclass(frozen=True, slots=True)
class Circle:
    """Twelve points on a circle in three classes, one of them mislabelled."""

    def make(self) -> Pair:
        """The twelve points; there is nothing to test on."""
        return toys.circle(), None


@dataclass(frozen=True, slots=True)
class TwoGaussians:
    """Two clouds in the plane."""

    per_class: int = knob(20, "Points in each class.", low=2, high=500)
    distance: float = knob(5.0, "How far the second centre lies along both axes.", low=0.0, high=10.0)
    swapped: int = knob(0, "Labels exchanged in each class; more than 0 makes the classes inseparable.", low=0, high=50)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test points of the same draw."""
        return toys.two_gaussians(self.per_class, self.distance, self.swapped, self.seed)


@dataclass(frozen=True, slots=True)
class Animals:
    """Dogs, cats, buses and cars in the plane; some dogs look like buses."""

    per_class: int = knob(40, "Points in each class.", low=2, high=500)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test points of the same draw."""
        return toys.animals_and_cars(self.per_class, self.seed)


@dataclass(frozen=True, slots=True)
class Digits:
    """Handwritten digits, 8 x 8 pixels."""

    n: int = knob(1200, "Training images; the rest of the 1,797 are for testing.", low=20, high=1700)

    def make(self) -> Pair:
        """The first n images and the others."""
        return digits.digits(self.n)


@dataclass(frozen=True, slots=True)
class DigitWords:
    """Words whose letters are handwritten digits and whose spelling follows a grammar."""

    n: int = knob(100, "Training words.", low=5, high=2000)
    n_test: int = knob(100, "Test words, from other images.", low=1, high=1000)
    noise: float = knob(0.0, "Standard deviation of the noise added to each pixel.", low=0.0, high=2.0)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test words."""
        return digits.digit_words(self.n, self.n_test, noise=self.noise, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Sequences with blocks of a hidden state, seen through flipped and noisy features."""

    n: int = knob(40, "Training sequences.", low=2, high=500)
    n_test: int = knob(20, "Test sequences.", low=1, high=500)
    length: int = knob(100, "Positions of each sequence.", low=10, high=1000)
    distortion: float = knob(0.2, "Share of the positions whose sign is flipped, for each feature.", low=0.0, high=0.5)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test sequences."""
        return blocks.blocks(self.n, self.n_test, self.length, distortion=self.distortion, seed=self.seed)


@dataclass(frozen=True, slots=True)
class GaussianHMM:
    """Sequences from a two-state hidden Markov model with ten Gaussian features."""

    n: int = knob(40, "Training sequences.", low=2, high=500)
    n_test: int = knob(20, "Test sequences.", low=1, high=500)
    length: int = knob(100, "Positions of each sequence.", low=2, high=1000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test sequences."""
        return hmm.gaussian_hmm(self.n, self.n_test, self.length, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Tagging:
    """Sentences with sparse word features, tagged by a hidden grammar."""

    n: int = knob(100, "Training sentences.", low=2, high=20_000)
    n_test: int = knob(50, "Test sentences.", low=1, high=5000)
    vocabulary: int = knob(1000, "Different words.", low=10, high=200_000)
    tags: int = knob(5, "Different tags.", low=2, high=50)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> Pair:
        """Training and test sentences."""
        return words.sparse_tagging(self.n, self.n_test, self.vocabulary, self.tags, seed=self.seed)


AnyData = FourPoints | Circle | TwoGaussians | Animals | Digits | DigitWords | Blocks | GaussianHMM | Tagging


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of the menu."""

    name: str
    title: str
    data: type[AnyData]
    build: Callable[[Dataset, AnyLoss, "Recipe"], Problem]
    losses: Mapping[str, AnyLoss]
    learner: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    oracles: tuple[str, ...] = ("enumeration",)

    @property
    def help(self) -> str:
        """One sentence about the data."""
        return (self.data.__doc__ or "").strip()


def _binary(dataset: Dataset, loss: AnyLoss, recipe: "Recipe") -> Problem:
    return Binary(dataset, bias="regularised", delta=loss, pricing=recipe.pricing)


def _multiclass(dataset: Dataset, loss: AnyLoss, recipe: "Recipe") -> Problem:
    return Multiclass(dataset, len(dataset.meta["states"]), delta=loss, pricing=recipe.pricing)


def _chain(dataset: Dataset, loss: AnyLoss, recipe: "Recipe") -> Problem:
    return Chain(
        dataset,
        len(dataset.meta["states"]),
        delta=loss,
        pricing=recipe.pricing,
        separator=oracle_named(recipe.oracle),
        predictor=oracle_named(recipe.predictor),
    )


ZERO_ONE: Mapping[str, AnyLoss] = {"zero-one": ZeroOne()}
ANIMAL_COSTS = CostMatrix(((0, 1, 100, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)))
SEQUENCE: Mapping[str, AnyLoss] = {
    "hamming": Hamming(),
    "hamming-normalised": Hamming(normalised=True),
    "zero-one": ZeroOne(),
}
DECODERS = ("Viterbi", "enumeration")

SHOWN: dict[str, Any] = {"certify_every": 1, "cached_passes": 10}
"""On a page there are fewer steps, and every one shows both bounds; a program wants only the answer, sooner."""

TASKS: tuple[Task, ...] = (
    Task(
        "digit-words", "Digits as words", DigitWords, _chain, SEQUENCE, "sequential-dual", SHOWN | {"C": 20.0}, DECODERS
    ),
    Task("blocks", "Blocks with distortion", Blocks, _chain, SEQUENCE, "one-slack", {"C": 20.0}, DECODERS),
    Task(
        "gaussian-hmm",
        "Gaussian hidden Markov",
        GaussianHMM,
        _chain,
        SEQUENCE,
        "one-slack",
        {"C": 10.0, "eps": 1e-6},
        DECODERS,
    ),
    Task("tagging", "Sparse tagging", Tagging, _chain, SEQUENCE, "sequential-dual", SHOWN | {"C": 10.0}, DECODERS),
    Task("digits", "Handwritten digits", Digits, _multiclass, ZERO_ONE, "sequential-dual", SHOWN | {"C": 120.0}),
    Task(
        "animals",
        "Dogs, cats, buses, cars",
        Animals,
        _multiclass,
        {**ZERO_ONE, "dog-as-bus-costs-100": ANIMAL_COSTS},
        "n-slack",
        {"C": 10.0},
    ),
    Task("circle", "Circle toy", Circle, _multiclass, ZERO_ONE, "n-slack", {"C": 10.0}),
    Task("four-points", "Four points", FourPoints, _multiclass, ZERO_ONE, "n-slack", {"C": 4.0}),
    Task("two-gaussians", "Two Gaussians", TwoGaussians, _binary, ZERO_ONE, "n-slack", {"C": 10.0}),
)


def task_named(name: str) -> Task:
    """The task of that name; refused with the list of names."""
    for task in TASKS:
        if task.name == name:
            return task
    raise Refused(f"there is no task {name!r}; choose one of {', '.join(task.name for task in TASKS)}")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Every choice of a run, as plain data."""

    task: str = "digit-words"
    data: Mapping[str, Any] = field(default_factory=dict)
    loss: str = ""
    scaling: str = knob(
        "margin", "What the loss scales: the margin asked for, or the slack.", choices=("margin", "slack")
    )
    penalty: str = knob("linear", "What a slack costs: itself, or half its square.", choices=("linear", "squared"))
    oracle: str = ""
    predictor: str = ""
    learner: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = knob(0, "Seed of the learner's random choices.", low=0, high=9999)
    rule: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_knobs(self)

    def filled(self) -> Self:
        """The same recipe with every default written out, and every choice checked."""
        task = task_named(self.task)
        loss = self.loss or next(iter(task.losses))
        if loss not in task.losses:
            raise Refused(f"{task.name} has no loss {loss!r}; choose one of {', '.join(task.losses)}")
        oracle, predictor = self.oracle or task.oracles[0], self.predictor or task.oracles[0]
        for title in (oracle, predictor):
            if title not in task.oracles:
                raise Refused(f"{task.name} has no oracle {title!r}; choose one of {', '.join(task.oracles)}")
        learner = self.learner or task.learner
        own = dict(task.settings) if learner == task.learner else shared_settings(task, by_name(learner))
        return replace(
            self,
            data=asdict(made(task.data, self.data)),
            loss=loss,
            oracle=oracle,
            predictor=predictor,
            learner=learner,
            settings=asdict(made(by_name(learner), own | dict(self.settings))),
            rule=asdict(made(Until, self.rule)),
        )

    @property
    def pricing(self) -> Pricing:
        """Scaling and penalty together."""
        return Pricing(self.scaling, self.penalty)  # type: ignore[arg-type]  # checked against the choices above

    def problem(self) -> tuple[Problem, Dataset | None]:
        """The training problem and the test data."""
        full = self.filled()
        task = task_named(full.task)
        train, test = made(task.data, full.data).make()
        return task.build(train, task.losses[full.loss], full), test

    def make_learner(self) -> Learner:
        """The learner with its settings."""
        full = self.filled()
        found: Learner = made(by_name(full.learner), full.settings)
        return found

    def make_rule(self) -> Until:
        """When to stop."""
        return made(Until, self.rule)


def shared_settings(task: Task, learner: type) -> dict[str, Any]:
    """The task's price and tolerance, where another learner has them too; the rest is its own learner's business."""
    names = {f.name for f in fields(learner)} & {"C", "eps"}
    return {name: value for name, value in task.settings.items() if name in names}


def made(record: type, settings: Mapping[str, Any]) -> Any:
    """An instance of a settings record; unknown names are refused with the known ones."""
    known = [f.name for f in fields(record)]
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise Refused(f"{record.__name__} has no setting {unknown[0]!r}; it has {', '.join(known) or 'none'}")
    found = record(**settings)
    check_knobs(found)
    return found


__all__ = ["LEARNERS", "TASKS", "Recipe", "Task", "made", "task_named"]
