"""A picture whose pixels have labels: `x.png`, and beside it `x.labels.png` of the same size, in which every
colour is a label, called by its red, green and blue (#ff8800).

The picture is cut into tiles, each an example: a grid of pixels, joined to the right and downwards. A pixel
has the features red, green, blue (0 to 1), their means over the pixels around it (3 by 3), and a constant.
Cost: linear in the pixels.
"""

from itertools import product
from pathlib import Path

import numpy as np
from scipy.ndimage import uniform_filter

from explorer.engine.data.readers.png import Pixels, read_png
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import Graph, grid
from explorer.engine.vectors import Array, Ints

LABELS = ".labels.png"
MOST_LABELS = 24
MOST_IN_A_TILE = 40_000
FEATURES = ("red", "green", "blue", "red around", "green around", "blue around", "constant")


def labels_beside(path: str | Path) -> Path:
    """The picture of labels that belongs to a picture: x.labels.png beside x.png."""
    source = Path(path)
    return source.with_name(source.name.removesuffix(source.suffix) + LABELS)


def read_labels(path: Path, like: Pixels) -> list[list[str]]:
    """The label of every pixel, row by row."""
    found = read_png(path)
    if found.shape != like.shape:
        sizes = [f"{one.shape[1]} by {one.shape[0]}" for one in (found, like)]
        raise Refused(f"{path} has {sizes[0]} pixels and its picture {sizes[1]}; give both the same size")
    codes = colour_codes(found)
    if len(different := np.unique(codes)) > MOST_LABELS:
        raise Refused(
            f"{path} has {len(different):,} colours; give {MOST_LABELS} labels at most, each of one colour, "
            "without smoothed edges"
        )
    return [[f"#{code:06x}" for code in row] for row in codes.tolist()]


def colour_codes(pixels: Pixels) -> Ints:
    """Each pixel's colour as one number."""
    wide = pixels.astype(np.int64)
    return (wide[:, :, 0] << 16) + (wide[:, :, 1] << 8) + wide[:, :, 2]


def colours_of(names: list[list[str]]) -> Pixels:
    """The pixels of these colours."""
    codes = np.array([[int(name[1:], 16) for name in row] for row in names], dtype=np.int64)
    return np.stack([codes >> 16, (codes >> 8) & 255, codes & 255], axis=2).astype(np.uint8)


def pixel_features(pixels: Pixels) -> Array:
    """(height, width, features)."""
    own = pixels / 255.0
    around = np.stack([uniform_filter(own[:, :, c], 3, mode="nearest") for c in range(3)], axis=2)
    return np.concatenate([own, around, np.ones((*own.shape[:2], 1))], axis=2)


def tiles(height: int, width: int, side: int) -> list[tuple[slice, slice]]:
    """The rows and columns of every tile; 0 for the picture as one."""
    size = side or max(height, width)
    if min(size, height) * min(size, width) > MOST_IN_A_TILE:
        raise Refused(
            f"a tile has more than {MOST_IN_A_TILE:,} pixels; cut it into smaller ones with --data tile=64"
        )
    return [
        (slice(y, min(y + size, height)), slice(x, min(x + size, width)))
        for y, x in product(range(0, height, size), range(0, width, size))
    ]


def grids(pixels: Pixels, side: int, where: str) -> list[Graph]:
    """The tiles of a picture as grids."""
    whole = pixel_features(pixels)
    found = []
    for rows, columns in tiles(whole.shape[0], whole.shape[1], side):
        part = whole[rows, columns]
        found.append(grid(part.reshape(-1, part.shape[2]), part.shape[0], part.shape[1], where=where))
    return found


__all__ = ["FEATURES", "colours_of", "grids", "labels_beside", "read_labels", "tiles"]
