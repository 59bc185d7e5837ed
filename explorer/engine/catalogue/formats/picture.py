"""A picture with a picture of labels beside it (`readers.picture`): grids with shared pairwise weights,
decoded by the fast relaxation. A model takes grids; predictions are a picture of labels.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.formats import graphml
from explorer.engine.catalogue.formats.format import (
    FileChoices,
    FileContent,
    Plain,
    divide,
    draw,
    held_out,
    remember,
)
from explorer.engine.catalogue.task import Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.picture import (
    FEATURES,
    colours_of,
    grids,
    labels_beside,
    read_labels,
    tiles,
)
from explorer.engine.data.readers.png import read_png, write_png
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import graphs

READING: Mapping[str, type] = {"tile": int}


@settings
class PictureData:
    """Tiles of a picture with a label at every pixel."""

    tile: int = knob(
        16, "Pixels of a tile's side, each tile an example; 0: the whole picture.", low=0, high=256
    )
    held_out: float = held_out()
    draw: int = draw()


SETTINGS = PictureData


def task(train: Dataset) -> Callable[..., Task]:
    """Labelled grids."""
    return graphml.task(train)


def pair(path: Path, test: Path | None, choices: FileChoices, settings: PictureData) -> Pair:
    """The tiles with the labels of both pictures."""
    pictures = {file: read_png(file) for file in (path, test) if file is not None}
    named = {file: read_labels(labels_beside(file), pixels) for file, pixels in pictures.items()}
    states = sorted({name for rows in named.values() for row in rows for name in row})
    if len(states) < 2:
        raise Refused(f"{labels_beside(path)} has only the colour {states[0]}; give at least two labels")
    at = {state: k for k, state in enumerate(states)}
    made = []
    for file, pixels in pictures.items():
        codes = np.array([[at[name] for name in row] for row in named[file]], dtype=np.int64)
        parts = tiles(len(codes), codes.shape[1], settings.tile)
        labels = [codes[part].ravel() for part in parts]
        inputs = grids(pixels, settings.tile, str(file))
        made.append(graphs(file.name, inputs, labels, states, feature_names=FEATURES))
    return divide(remember(made[0], "picture", tile=settings.tile), settings, *made[1:])


def examples(path: Path, reading: Plain) -> FileContent:
    """The tiles, and the labels of their pixels where there is a picture of them."""
    pixels = read_png(path)
    inputs, beside = grids(pixels, reading["tile"], str(path)), labels_beside(path)
    if not beside.exists():
        return FileContent(inputs, None)
    names = np.array(read_labels(beside, pixels))
    parts = tiles(len(names), names.shape[1], reading["tile"])
    return FileContent(inputs, [names[part].ravel().tolist() for part in parts])


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The picture of labels that belongs to the file."""
    height, width, _ = read_png(path).shape
    names = np.empty((height, width), dtype=object)
    for part, own in zip(tiles(height, width, reading["tile"]), labels, strict=True):
        names[part] = np.array([str(label) for label in own], dtype=object).reshape(names[part].shape)
    return {labels_beside(path).name: write_png(colours_of(names.tolist()))}
