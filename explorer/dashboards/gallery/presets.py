"""The runs of the gallery: one for every task, grouped by what is predicted, and a few that show how else one
can learn. Toys, small enough to follow every number, stand apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from explorer.dashboards.studio.link import FIRST
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.task import Task
from explorer.engine.catalogue.tasks import SHELVES

GROUPS = {
    "chains": ("Sequences", "A label for every position: words, tags, hidden states."),
    "classes": ("Classes", "One answer of several."),
    "fields": ("Pictures, graphs and label sets", "A state for every cell, member or label, all at once."),
    "boxes": ("Boxes", "Where in a picture something is."),
    "clusterings": ("Clusterings", "Which items belong together, whatever their number."),
    "trees": ("Sentences as trees", "The head of every word."),
    "ways": ("Other ways to learn", "The same problems under another loss or another learner."),
    "toys": ("Toys", "Small enough to follow every number by hand."),
}
"""Title and one sentence of each group, in the order of the page."""

TOYS = frozenset({"circle", "four-points", "two-gaussians", "clusters", "links", "micro-trees"})


@dataclass(frozen=True, slots=True, eq=False)
class Preset:
    """A run worth looking at: its name, what to see in it, its recipe, the view to begin with, the example
    pictured, its group.
    """

    title: str
    words: str
    recipe: Recipe
    view: str = "trellis"
    turn: int = 0
    group: str = "ways"


def preset_of(task: Task, shelf: str) -> Preset:
    """The run of a task; that of the first task is the one which the studio opens with."""
    recipe = FIRST if task == FIRST.task else Recipe(task=task.name)
    return Preset(task.title, task.help, recipe, group="toys" if task.name in TOYS else shelf)


def tasks_by_group() -> Iterator[Preset]:
    """One preset for every task of the catalogue."""
    for shelf in SHELVES:
        for task in import_module(f"explorer.engine.catalogue.{shelf}").TASKS:
            yield preset_of(task, shelf)


PRESETS = (
    *tasks_by_group(),
    Preset(
        "One costly mistake",
        "The same animals, but taking a dog for a bus costs a hundred times more: the learner pays to avoid "
        "it.",
        Recipe(task="animals", loss="dog-as-bus-costs-100"),
        "examples",
    ),
    Preset(
        "Classes that overlap",
        "Two clouds with three labels exchanged in each: no weights are right everywhere, and slack is paid.",
        Recipe(task="two-gaussians", data={"swapped": 3}),
        "surface",
        group="toys",
    ),
    Preset(
        "One example at a time",
        "Frank-Wolfe looks at one word per oracle call and still proves how far it is from the optimum.",
        Recipe(task="digit-words", data={"n": 60}, learner="frank-wolfe", rule={"passes": 150.0}),
        turn=1,
    ),
    Preset(
        "Without a lower bound",
        "Subgradient descent on the blocks: the objective falls in zigzags and nothing says when to stop.",
        Recipe(task="blocks", data={"n": 20}, learner="subgradient", rule={"passes": 80.0}),
        "weights",
        turn=1,
    ),
)

__all__ = ["GROUPS", "PRESETS", "Preset"]
