"""The contracts: what a dataset, a loss, a problem and a learner are, and what a problem may additionally
offer.

A Problem turns (w, example) into a Cut. A Learner says what it minimises, its `Objective`, and how; for the
structured hinge the problem's `Pricing` says what a cut costs. Capabilities are one-idea protocols, asked for
with isinstance: a problem has those whose members it has, and owes none of them.
"""

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from explorer.engine.events import Cut, Expectation, Step, Stopped, Sweep
from explorer.engine.pricing import Pricing
from explorer.engine.vectors import Array, Ints, Vector
from explorer.engine.visits import Cache, Log, Plan


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Examples to learn from: `inputs[i]` is labelled `labels[i]`. Never changed once made."""

    name: str
    inputs: Any
    labels: Any
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {len(self)} examples)"


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """An extra linear constraint on w: a . w >= b - slack, where `weight` prices the slack (infinite: no
    slack).

    Rules of equal `group` share one slack.
    """

    a: Vector
    b: float
    weight: float = math.inf
    group: int = 0


@runtime_checkable
class Loss(Protocol):
    """A structured loss: value(y, y) = 0, every other value is positive.

    A loss that is a sum over positions also has `costs`; one that depends only on the number of wrong
    positions also has `of_count`. One that has neither says in `undecomposed` why an oracle cannot fold it
    in.
    """

    def value(self, truth: Any, label: Any) -> float: ...


@runtime_checkable
class Decomposes(Protocol):
    """A loss that is a sum over positions of a K x K cost (truth, label), divided by the length when
    `normalised`.
    """

    @property
    def normalised(self) -> bool: ...
    def costs(self, states: int) -> Array: ...


@runtime_checkable
class Counts(Protocol):
    """A loss that is a function of the number of wrong positions among `length`."""

    def of_count(self, wrong: int, length: int) -> float: ...


@runtime_checkable
class Undecomposed(Protocol):
    """A loss that says why an oracle cannot fold it in."""

    @property
    def undecomposed(self) -> str: ...


class Problem(Protocol):
    """n labelled examples, a feature map of `dim` entries, a loss, and an oracle for the most violated
    labelling.
    """

    @property
    def name(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def dim(self) -> int: ...
    @property
    def pricing(self) -> Pricing: ...
    @property
    def oracle_is_exact(self) -> bool: ...
    @property
    def dataset(self) -> Dataset: ...

    def oracle(self, w: Array, i: int) -> Cut: ...
    def predict(self, w: Array, x: Any) -> Any: ...
    def features(self, i: int, label: Any) -> Vector: ...
    def loss(self, i: int, label: Any) -> float: ...
    def on(self, dataset: Dataset) -> Self: ...


@runtime_checkable
class Batch(Protocol):
    """Oracle answers for examples lo..hi-1 at once; `chunk` examples take some milliseconds."""

    @property
    def chunk(self) -> int: ...
    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]: ...
    def sweep(self, w: Array, lo: int, hi: int) -> Sweep: ...
    def predictions(self, w: Array) -> list[Any]: ...
    def losses(self, labels: list[Any]) -> Array: ...


@runtime_checkable
class RawSweeps(Protocol):
    """A `Batch` whose oracle may answer below the truth: `sweep` then takes the truth, `raw_sweep` not."""

    def raw_sweep(self, w: Array, lo: int, hi: int) -> Sweep: ...


@runtime_checkable
class Visits(Protocol):
    """Whole passes in compiled code, for labellings that are `places[i + 1] - places[i]` numbers.

    `visit` goes from example to example as `dual.block_steps` says, moving w, and returns how many cuts it
    found; `rebuild` prices a cache's
    labellings again and returns the w that they make; `worst` is every example's largest violation at one w;
    `labelling` and `numbers` turn numbers into a labelling of example i and back. Where visits can recombine
    labellings, `alphabet` is how many numbers a place can have, elsewhere 0; where pairwise visits without
    the oracle would do the same as with it, `revisits` is False. A problem may be unable to under its present
    loss: then it is not `visitable`.
    """

    @property
    def visitable(self) -> bool: ...
    @property
    def alphabet(self) -> int: ...
    @property
    def revisits(self) -> bool: ...
    @property
    def places(self) -> Ints: ...
    def labelling(self, i: int, numbers: Any) -> Any: ...
    def numbers(self, i: int, label: Any) -> Any: ...
    def visit(self, w: Array, order: Ints, cache: Cache, plan: Plan, log: Log, born: int) -> int: ...
    def rebuild(self, cache: Cache) -> Array: ...
    def worst(self, w: Array) -> Array: ...


@runtime_checkable
class Marginals(Protocol):
    """The log-sum-exp twin of the oracle, for examples lo..hi-1: under p(y) = exp(w . Psi(x, y)) / Z, log Z
    and E[Psi].
    """

    def expectation(self, w: Array, lo: int, hi: int) -> Expectation: ...


@runtime_checkable
class LocalSums(Protocol):
    """Sums over the labels of single positions or terms, for examples lo..hi-1: each one's cost, a sum of log
    losses, and the sum of the costs' gradients.

    `conditionals` gives every position its true neighbours; `pieces` normalises every term by itself.
    """

    def conditionals(self, w: Array, lo: int, hi: int) -> Expectation: ...
    def pieces(self, w: Array, lo: int, hi: int) -> Expectation: ...


@runtime_checkable
class Samples(Protocol):
    """Labellings drawn by sweeps of Gibbs sampling that begin at the truth: the sum of their features, for
    examples lo..hi-1.
    """

    def sample_features(
        self, w: Array, lo: int, hi: int, sweeps: int, rng: np.random.Generator
    ) -> Vector: ...


@runtime_checkable
class Generative(Protocol):
    """A problem whose labelled examples can be counted into a generative model of the same scores, w = log p.

    `true` asks for the parameters that made the data; `not_generative` says why they cannot be had.
    """

    def not_generative(self, true: bool) -> str | None: ...
    def generative_weights(self, true: bool, pseudo_count: float) -> Array: ...


@runtime_checkable
class Enumerates(Protocol):
    """Every labelling of example i, for problems small enough; `labellings_count` says how many."""

    def labellings(self, i: int) -> Iterable[Any]: ...
    def labellings_count(self, i: int) -> int: ...


@runtime_checkable
class Ruled(Protocol):
    """Extra linear constraints on w."""

    @property
    def rules(self) -> tuple[Rule, ...]: ...


@runtime_checkable
class Convex(Protocol):
    """A risk given directly: its value and a subgradient at w (no examples needed)."""

    def risk(self, w: Array) -> tuple[float, Array]: ...


@runtime_checkable
class Searches(Protocol):
    """A problem that says what its oracle searches: "exact", "under" (it may miss labellings), "over"
    (relaxed ones too), either of them ", untold" (it maximises the score without the loss), or "unclaimed".
    """

    @property
    def oracle_kind(self) -> str: ...


@runtime_checkable
class Approximates(Protocol):
    """A problem whose oracle may be approximate; `exact_twin` is the same one with an exact oracle, if that
    can be had.
    """

    @property
    def exact_twin(self) -> "Problem | None": ...


@runtime_checkable
class Predicts(Protocol):
    """A problem with a predictor of its own, whose `kind` is that of `Searches`; others predict exactly."""

    @property
    def predictor(self) -> Any: ...


@runtime_checkable
class Geometry(Protocol):
    """Vectors that are coefficients of kernel functions: their inner product is <x, z> = lifted(x) . z, not x
    . z.

    `products` are those of each of some vectors with one: what a working set needs of a new plane.
    """

    def lift(self, x: Vector) -> Array: ...
    def products(self, others: Sequence[Vector], a: Vector) -> Array: ...


@runtime_checkable
class FreeBias(Protocol):
    """A problem whose first weight may be a bias that |w|^2 does not count.

    `anchor` is then a row of features, its first entry 1, amid those of the examples: cuts are measured from
    it, so that data far from 0 lose no digits. None where every weight counts.
    """

    @property
    def anchor(self) -> Array | None: ...


@runtime_checkable
class TwoSided(Protocol):
    """Two classes with a hyperplane between them: the side of every point as -1 or +1, how its bias is
    learned, and the hyperplane normal . x + offset = 0 that w stands for.
    """

    @property
    def bias(self) -> str: ...
    @property
    def signs(self) -> Array: ...
    def plane(self, w: Array) -> tuple[Array, float]: ...


@runtime_checkable
class Compares(Protocol):
    """A problem whose loss is one object or function, `delta`."""

    @property
    def delta(self) -> Any: ...


@runtime_checkable
class Priced(Protocol):
    """A problem that says in its own words what makes the prices of its cuts (see `objective.priced_as`)."""

    @property
    def priced_as(self) -> str: ...


@runtime_checkable
class ChecksInputs(Protocol):
    """A problem that knows what an input must be: the same in the form it needs, or Refused."""

    def checked_input(self, x: Any, place: str) -> Any: ...


@runtime_checkable
class ChecksLabels(Protocol):
    """A problem that refuses what is no labelling of example i."""

    def check_label(self, i: int, label: Any) -> None: ...


@runtime_checkable
class Pulses(Protocol):
    """A problem under a meter: `pulse` raises when the run was cancelled."""

    def pulse(self) -> None: ...


CAPABILITIES: tuple[type, ...] = (
    Batch,
    RawSweeps,
    Visits,
    Marginals,
    LocalSums,
    Samples,
    Generative,
    Enumerates,
    Ruled,
    Convex,
    Searches,
    Approximates,
    Geometry,
    FreeBias,
    TwoSided,
    Compares,
    Priced,
)
"""What a learner may ask of a problem."""


def lacking(thing: Any) -> list[str]:
    """What an object lacks of the contract of a problem; other data (`on`) are asked for only where there are
    some.
    """
    return [name for name in vars(Problem) if name[0] != "_" and name != "on" and not hasattr(thing, name)]


def members(problem: Problem) -> dict[str, Any]:
    """What its contract and its capabilities name of a problem: all that a stand-in for it has to pass on."""
    kinds = (Problem, *(kind for kind in CAPABILITIES if isinstance(problem, kind)))
    names = (name for kind in kinds for name in vars(kind) if not name.startswith("_"))
    return {name: without_checks(attrgetter(name)(problem)) for name in names}


def without_checks(member: Any) -> Any:
    """A method without the checks of `refusals.checked_calls`; anything else as it is."""
    inner = getattr(member, "unchecked", None)
    return member if inner is None else inner.__get__(member.__self__)


class Measured(NamedTuple):
    """What an objective is at some w: its value, the mean over the examples of what training makes small, and
    every example's slack, where that is what the mean is taken of.
    """

    value: float
    risk: float
    slack: Array | None = None


class Objective(Protocol):
    """What a learner minimises, J(w) = 1/2 |w|^2 + C * a mean over examples; `risk` is what that mean is
    called.

    `kind` says which problem J belongs to, in the words of `oracle_kind`: only beside an "exact" one is a
    lower bound a certificate.
    """

    @property
    def name(self) -> str: ...
    @property
    def risk(self) -> str: ...
    def kind(self, problem: Problem) -> str: ...
    def measure(self, problem: Problem, w: Array, C: float) -> Measured: ...


class Learner(Protocol):
    """A frozen dataclass of hyper-parameters and a generator of steps that returns why it ended by itself."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    title: ClassVar[str]
    paper: ClassVar[str]
    certifies: ClassVar[bool]
    objective: ClassVar[Objective | None]

    def refuses(self, problem: Problem) -> str | None: ...
    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]: ...


class Effort(NamedTuple):
    """How much work a call is: up to the size `quick` nobody notices it, beyond `most` nobody waits for it.

    `because` says what the size is and why it matters, for those who have to wait.
    """

    size: int
    because: str
    quick: float
    most: float = math.inf


@runtime_checkable
class Laborious(Protocol):
    """An oracle whose cost grows fast, and that knows beforehand how much work a call will be."""

    def effort(self, question: Any) -> Effort: ...


@runtime_checkable
class Anytime(Protocol):
    """An oracle that can be stopped: it then answers the best it has found, and what no answer exceeds."""

    def solve_within(self, question: Any, seconds: float) -> Any: ...


def pulse_of(problem: Problem) -> Callable[[], None]:
    """What long work between two oracle calls should call now and then, so that a meter can interrupt it."""
    return problem.pulse if isinstance(problem, Pulses) else lambda: None


def oracle_kind(problem: Problem) -> str:
    """What a problem's oracle searches, in the words of `Searches`; `events.DOUBTS` says what each proves."""
    if isinstance(problem, Searches):
        return problem.oracle_kind
    return "exact" if problem.oracle_is_exact else "under"


def is_relaxed(problem: Problem) -> bool:
    """Whether a problem's cuts may be relaxed labellings, which bound nothing under another oracle."""
    return oracle_kind(problem).startswith("over")


def generator_at(rng: np.random.Generator, state: Mapping[str, Any] | None) -> np.random.Generator:
    """The generator, set to where it was when the keyframe was taken."""
    if state is not None:
        rng.bit_generator.state = state["rng"]
    return rng
