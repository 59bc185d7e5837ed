"""The catalogue: which data, which problem, which sensible defaults.

A Task joins a family of data (a record of knobs with `make`) to a problem, the losses and oracles that it may
be given, and the learner to begin with. A Recipe (see `recipe`) names a task and every choice made in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

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
from explorer.engine.learners import LEARNERS, by_name
from explorer.engine.refusals import Refused


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One entry of the menu; it is the same object wherever it is named."""

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
        return " ".join((self.data.__doc__ or "").split())

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return task_named, (self.name,)

    def loss_name(self, name: str) -> str:
        """This loss, the first one for no name; refused if the task does not have it."""
        found = name or next(iter(self.losses))
        if found not in self.losses:
            raise Refused(f"{self.name} has no loss {found!r}; choose one of {', '.join(self.losses)}")
        return found

    def settings_of(self, learner: Any) -> Mapping[str, Any]:
        """What a learner begins with here: the task's own with all its settings, another one with price and
        tolerance.
        """
        shared = {"C", "eps"} & {f.name for f in fields(learner)}
        names = set(self.settings) if learner is by_name(self.learner) else shared
        return {name: value for name, value in self.settings.items() if name in names}

    def oracle_text(self, text: str) -> str:
        """The oracle that a text names, written in one way; the first of the menu for no text, refused if not
        in it.
        """
        title = title_in(text or self.oracles[0])
        if title not in self.oracles:
            raise Refused(f"{self.name} has no oracle {title!r}; choose one of {', '.join(self.oracles)}")
        return spelled(oracle_named(text or self.oracles[0]))


SHOWN: dict[str, Any] = {"certify_every": 1, "cached_passes": 10}
"""On a page there are fewer steps, and every one shows both bounds; a program wants only the answer,
sooner.
"""

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
    Task(
        "blocks",
        "Blocks with distortion",
        Blocks,
        builders.chain,
        SEQUENCE,
        "one-slack",
        {"C": 20.0},
        DECODERS,
    ),
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
        "tagging",
        "Sparse tagging",
        Tagging,
        builders.chain,
        SEQUENCE,
        "sequential-dual",
        SHOWN | {"C": 10.0},
        DECODERS,
    ),
    Task(
        "digits",
        "Handwritten digits",
        Digits,
        builders.multiclass,
        ZERO_ONE,
        "sequential-dual",
        SHOWN | {"C": 120.0},
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
    Task(
        "clubs", "Karate clubs", Clubs, builders.graph, NODES, "one-slack", {"C": 10.0}, first("roof duality")
    ),
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
    Task(
        "moons",
        "Half moons, single link",
        Moons,
        builders.single_link,
        FREE_LOSSES,
        "one-slack",
        {"C": 1e4},
        LINKED,
    ),
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


__all__ = ["LEARNERS", "TASKS", "Task", "task_named"]
