"""Boxes around objects in pictures: losses and tasks."""

from collections.abc import Mapping

from explorer.engine.catalogue.task import NoSettings, Parts, Task
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.data.detections import WORDS, Detections
from explorer.engine.losses import IoU, ZeroOne
from explorer.engine.structures.boxes.oracles import BOX_ORACLES
from explorer.engine.structures.boxes.problem import BoxDetection

LOSSES: Mapping[str, Loss] = {"overlap": IoU(), "zero-one": ZeroOne()}


def detection(data: Dataset, parts: Parts[NoSettings]) -> BoxDetection:
    """One box in each picture."""
    return BoxDetection(
        data, len(WORDS), parts.loss, parts.pricing, separator=parts.separator, predictor=parts.predictor
    )


TASKS = (
    Task(
        "detection",
        "Find the animal",
        Detections,
        "one-slack",
        {"C": 100.0, "eps": 1e-3},
        losses=LOSSES,
        oracle_types=BOX_ORACLES,
        build=detection,
    ),
)
