"""One class for every point: losses and tasks of two and of many classes."""

from collections.abc import Mapping
from functools import partial

from explorer.engine.catalogue.task import SHOWN, NoSettings, Parts, Task
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.data.digits import Digits
from explorer.engine.data.toys import Animals, Circle, FourPoints, TwoGaussians
from explorer.engine.losses import CostMatrix, ZeroOne
from explorer.engine.structures.chains.oracles import Enumerate
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass

ZERO_ONE: Mapping[str, Loss] = {"zero-one": ZeroOne()}
ANIMAL_COSTS = CostMatrix(((0, 1, 100, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)))


def binary(data: Dataset, parts: Parts[NoSettings]) -> Binary:
    """Two classes; the classes are tried one by one, whatever oracle is named."""
    return Binary(data, bias="regularised", delta=parts.loss, pricing=parts.pricing)


def multiclass(data: Dataset, parts: Parts[NoSettings]) -> Multiclass:
    """Any number of classes, tried one by one."""
    return Multiclass(data, len(data.meta["states"]), delta=parts.loss, pricing=parts.pricing)


classes = partial(Task, losses=ZERO_ONE, oracle_types=(Enumerate,), build=multiclass)

TASKS = (
    classes("digits", "Handwritten digits", Digits, "sequential-dual", {**SHOWN, "C": 120.0}),
    classes(
        "animals",
        "Dogs, cats, buses, cars",
        Animals,
        "n-slack",
        {"C": 10.0},
        losses={**ZERO_ONE, "dog-as-bus-costs-100": ANIMAL_COSTS},
    ),
    classes("circle", "Circle toy", Circle, "n-slack", {"C": 10.0}),
    classes("four-points", "Four points", FourPoints, "n-slack", {"C": 4.0}),
    classes("two-gaussians", "Two Gaussians", TwoGaussians, "n-slack", {"C": 10.0}, build=binary),
)
