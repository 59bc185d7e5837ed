"""Oracles of boxes, one file each; BOX_ORACLES is in menu order."""

from explorer.engine.structures.boxes.oracles._question import BoxOracle as BoxOracle
from explorer.engine.structures.boxes.oracles._question import loss_code as loss_code
from explorer.engine.structures.boxes.oracles._question import prediction as prediction
from explorer.engine.structures.boxes.oracles._question import separation as separation
from explorer.engine.structures.boxes.oracles.every_window import EveryWindow
from explorer.engine.structures.boxes.oracles.window_branching import WindowBranching

BOX_ORACLES: tuple[type[BoxOracle], ...] = (WindowBranching, EveryWindow)
