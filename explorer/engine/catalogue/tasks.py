"""The catalogue: which data, which problem, which sensible defaults; and the recipe that makes any run again.

A Task joins a family of data (a record of knobs with `make`) to a problem, the losses and oracles that it may be given,
and the learner to begin with. A Recipe names a task and every choice made in it: it is plain data (JSON), builds the
problem and the learner, and travels in run bundles, links and command lines.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from explorer.engine.catalogue import builders
from explorer.engine.catalogue.builders import (
    ANIMAL_COSTS,
    DECODERS,
    FREE_LOSSES,
    HEADS,
    KNOWN_LOSSES,
    LINKED,
    NODES,
    PARSERS,
    PER_CENT,
    SEQUENCE,
    ZERO_ONE,
    Builder,
    clusterers,
    first,
)
from explorer.engine.catalogue.losses import AnyLoss
from explorer.engine.catalogue.oracle_names import oracle_named, spelled, title_in
from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.data.cluster_families import (
    AnyClusters,
    Clouds,
    Coreference,
    Figures,
    LinkFigure,
    Marbles,
    Moons,
    News,
    NewsAreas,
    Synth,
    WebPages,
)
from explorer.engine.data.families import (
    Animals,
    AnyData,
    Blobs,
    Blocks,
    Circle,
    Clubs,
    Digits,
    DigitWords,
    FourPoints,
    GaussianHMM,
    Stripes,
    Synth1,
    Synth2,
    Tagging,
    Trees,
    TwoGaussians,
)
from explorer.engine.data.tree_families import AnyTrees, MicroTrees, RegisterTrees
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import LEARNERS, by_name
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of the menu."""

    name: str
    title: str
    data: type[AnyData | AnyClusters | AnyTrees]
    build: Builder
    losses: Mapping[str, AnyLoss]
    learner: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    oracles: tuple[str, ...] = ("enumeration",)

    @property
    def help(self) -> str:
        """One sentence about the data."""
        return (self.data.__doc__ or "").strip()

    def oracle_text(self, text: str) -> str:
        """The oracle that a text names, written in one way; the first of the menu for no text, refused if not in it."""
        title = title_in(text or self.oracles[0])
        if title not in self.oracles:
            raise Refused(f"{self.name} has no oracle {title!r}; choose one of {', '.join(self.oracles)}")
        return spelled(oracle_named(text or self.oracles[0]))


SHOWN: dict[str, Any] = {"certify_every": 1, "cached_passes": 10}
"""On a page there are fewer steps, and every one shows both bounds; a program wants only the answer, sooner."""

MERGED, MOVED = clusterers(None, "greedy merges"), clusterers(2, "iterative k-means")

TASKS: tuple[Task, ...] = (
    Task(
        "digit-words",
        "Digits as words",
        DigitWords,
        builders.chain,
        SEQUENCE,
        "sequential-dual",
        SHOWN | {"C": 20.0},
        DECODERS,
    ),
    Task("blocks", "Blocks with distortion", Blocks, builders.chain, SEQUENCE, "one-slack", {"C": 20.0}, DECODERS),
    Task(
        "gaussian-hmm",
        "Gaussian hidden Markov",
        GaussianHMM,
        builders.chain,
        SEQUENCE,
        "one-slack",
        {"C": 10.0, "eps": 1e-6},
        DECODERS,
    ),
    Task(
        "tagging", "Sparse tagging", Tagging, builders.chain, SEQUENCE, "sequential-dual", SHOWN | {"C": 10.0}, DECODERS
    ),
    Task(
        "digits", "Handwritten digits", Digits, builders.multiclass, ZERO_ONE, "sequential-dual", SHOWN | {"C": 120.0}
    ),
    Task(
        "animals",
        "Dogs, cats, buses, cars",
        Animals,
        builders.multiclass,
        {**ZERO_ONE, "dog-as-bus-costs-100": ANIMAL_COSTS},
        "n-slack",
        {"C": 10.0},
    ),
    Task("circle", "Circle toy", Circle, builders.multiclass, ZERO_ONE, "n-slack", {"C": 10.0}),
    Task("four-points", "Four points", FourPoints, builders.multiclass, ZERO_ONE, "n-slack", {"C": 4.0}),
    Task(
        "stripes",
        "Striped pictures",
        Stripes,
        builders.graph,
        NODES,
        "one-slack",
        {"C": 10.0},
        first("fast relaxation"),
    ),
    Task("blobs", "Ink blobs", Blobs, builders.graph, NODES, "one-slack", {"C": 10.0}, first("roof duality")),
    Task(
        "trees",
        "Labelled trees",
        Trees,
        builders.graph,
        NODES,
        "sequential-dual",
        SHOWN | {"C": 10.0},
        first("tree max-product"),
    ),
    Task("clubs", "Karate clubs", Clubs, builders.graph, NODES, "one-slack", {"C": 10.0}, first("roof duality")),
    Task(
        "synth1",
        "Synth1: six labels in a row",
        Synth1,
        builders.multilabel,
        PER_CENT,
        "sequential-dual",
        SHOWN | {"C": 1000.0},
        first("exhaustive"),
    ),
    Task(
        "synth2",
        "Synth2: one label of ten",
        Synth2,
        builders.multilabel,
        PER_CENT,
        "sequential-dual",
        SHOWN | {"C": 1000.0},
        first("exhaustive"),
    ),
    *(
        Task(name, title, data, builders.correlation, FREE_LOSSES, "one-slack", {"C": C, "eps": eps}, MERGED)
        for name, title, data, C, eps in (
            ("clouds", "Point clouds", Clouds, 1e4, 0.01),
            ("clusters", "Figures of clusterings", Figures, 10.0, 0.01),
            ("marbles", "Marbles by hue", Marbles, 1e4, 0.01),
            ("coreference", "Who is who in a text", Coreference, 1e6, 0.1),
            ("news", "News of a day", News, 1e7, 0.1),
        )
    ),
    *(
        Task(name, title, data, builders.k_means, KNOWN_LOSSES, "one-slack", {"C": C, "eps": eps}, MOVED)
        for name, title, data, C, eps in (
            ("synth", "Synth: pairs with noise", Synth, 100.0, 1.0),
            ("news-areas", "News by area", NewsAreas, 1e3, 0.5),
            ("web-pages", "Pages of universities", WebPages, 1e3, 0.5),
        )
    ),
    Task("moons", "Half moons, single link", Moons, builders.single_link, FREE_LOSSES, "one-slack", {"C": 1e4}, LINKED),
    Task(
        "links",
        "Six points, two link sets",
        LinkFigure,
        builders.single_link,
        FREE_LOSSES,
        "one-slack",
        {"C": 10.0},
        LINKED,
    ),
    *(
        Task(name, title, data, builders.dependency, HEADS, "one-slack", {"C": C, "eps": eps}, PARSERS)
        for name, title, data, C, eps in (
            ("register-trees", "Trees in two registers", RegisterTrees, 10.0, 1e-3),
            ("micro-trees", "Four German sentences", MicroTrees, 1.0, 1e-3),
        )
    ),
    Task("two-gaussians", "Two Gaussians", TwoGaussians, builders.binary, ZERO_ONE, "n-slack", {"C": 10.0}),
)


def task_named(name: str) -> Task:
    """The task of that name; refused with the list of names."""
    for task in TASKS:
        if task.name == name:
            return task
    raise Refused(f"there is no task {name!r}; choose one of {', '.join(task.name for task in TASKS)}")


@settings
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

    def filled(self) -> Self:
        """The same recipe with every default written out, and every choice checked."""
        task = task_named(self.task)
        loss = self.loss or next(iter(task.losses))
        if loss not in task.losses:
            raise Refused(f"{task.name} has no loss {loss!r}; choose one of {', '.join(task.losses)}")
        oracle, predictor = (task.oracle_text(text) for text in (self.oracle, self.predictor))
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
    return record(**settings)


__all__ = ["LEARNERS", "TASKS", "Recipe", "Task", "made", "task_named"]
