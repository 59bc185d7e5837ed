"""Small problems that somebody drew or typed, as files of our formats: so they are trained, linked and taken
away like any other file.

    points         points.csv, where they lie, its squares and their kind
    grid           painting.png, the painting with noise, and painting.labels.png, the painting itself
    similarities   likeness.pairs.csv, how alike each two items are, and likeness.clusters.csv
    sentences      typed.conll, words with tags
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from explorer.engine.data.readers.picture import colours_of
from explorer.engine.data.readers.png import write_png
from explorer.engine.refusals import Refused

KINDS = ("circle", "square", "triangle")
COLOURS = ("#2b6cb0", "#e8d08a", "#5b8c3a")
NOISE = 70.0
MOST_POINTS, MOST_CELLS, MOST_ITEMS, MOST_WORDS = 400, 4096, 12, 2000
TYPED = "My aunt Rosa/PER lives in Turin/LOC .\nPavel/PER met Rosa/PER in Oslo/LOC ."
"""A first text to change; a word without a tag has the tag O."""


def points_file(points: Sequence[tuple[float, float, int]]) -> dict[str, bytes]:
    """Points of the unit square, each of a kind."""
    if len(points) < 2 or len({kind for *_, kind in points}) < 2:
        raise Refused("draw points of at least two kinds first")
    if len(points) > MOST_POINTS:
        raise Refused(f"there are {len(points)} points; draw {MOST_POINTS} at most")
    rows = [f"{x:.3f},{y:.3f},{x * x:.4f},{x * y:.4f},{y * y:.4f},{KINDS[kind]}" for x, y, kind in points]
    return {"points.csv": "\n".join(["x,y,x squared,x times y,y squared,kind", *rows, ""]).encode()}


def grid_files(cells: Sequence[Sequence[int]]) -> dict[str, bytes]:
    """A painting: what is seen is the painting with noise, the labels are the painting itself."""
    if len({cell for row in cells for cell in row}) < 2:
        raise Refused("paint cells of another colour first")
    pixels = colours_of([[COLOURS[cell] for cell in row] for row in cells])
    noise = np.random.default_rng(0).normal(0.0, NOISE, pixels.shape)
    seen = np.clip(pixels + noise, 0, 255).round().astype(np.uint8)
    return {"painting.png": write_png(seen), "painting.labels.png": write_png(pixels)}


def likeness_files(likeness: Sequence[Sequence[float]], clusters: Sequence[int]) -> dict[str, bytes]:
    """How alike each two items are, and which cluster each is in."""
    names = [chr(ord("a") + k) for k in range(len(clusters))]
    pairs = [
        f"drawn,{names[i]},{names[j]},{likeness[i][j]:g},1" for i, j in combinations(range(len(names)), 2)
    ]
    if all(likeness[i][j] == 0 for i, j in combinations(range(len(names)), 2)):
        raise Refused("say first how alike some of the items are: press cells of the table")
    own = [f"drawn,{name},{cluster + 1}" for name, cluster in zip(names, clusters, strict=True)]
    return {
        "likeness.pairs.csv": "\n".join(["set,first,second,likeness,constant", *pairs, ""]).encode(),
        "likeness.clusters.csv": "\n".join(["set,item,cluster", *own, ""]).encode(),
    }


def sentences_file(text: str) -> dict[str, bytes]:
    """A line for each sentence; the tag of a word follows it after a slash."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    words = [
        word.rpartition("/") if "/" in word[1:-1] else (word, "/", "O") for line in lines for word in line
    ]
    if not 0 < len(words) <= MOST_WORDS or len({tag for *_, tag in words}) < 2:
        raise Refused("type words with at least two tags, such as Rosa/PER; words without one have the tag O")
    left = iter(words)
    rows = ["\n".join(f"{word} {tag}" for word, _, tag in (next(left) for _ in line)) for line in lines]
    return {"typed.conll": ("\n\n".join(rows) + "\n").encode()}


def file_of(kind: str, drawn: Any) -> dict[str, bytes]:
    """The files of a drawing as a browser tells it, which is not trusted."""
    try:
        if kind == "points":
            return points_file(
                [(unit(x), unit(y), whole(k, len(KINDS))) for x, y, k in drawn[: MOST_POINTS + 1]]
            )
        if kind == "grid":
            width = len(drawn[0])
            if not 0 < width * len(drawn) <= MOST_CELLS or any(len(row) != width for row in drawn):
                raise Refused("this is no painting")
            return grid_files([[whole(cell, len(COLOURS)) for cell in row] for row in drawn])
        if kind == "likeness":
            values, clusters = drawn["values"][:MOST_ITEMS], drawn["clusters"][:MOST_ITEMS]
            table = [[2.0 * unit((float(v) + 1) / 2) - 1 for v in row[: len(clusters)]] for row in values]
            return likeness_files(table, [whole(cluster, MOST_ITEMS) for cluster in clusters])
    except (TypeError, ValueError, LookupError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused("this drawing cannot be read; draw it again") from error
    raise Refused("this drawing cannot be read; draw it again")


def unit(value: Any) -> float:
    """A number between 0 and 1."""
    return float(min(1.0, max(0.0, float(value)))) if float(value) == float(value) else 0.0


def whole(value: Any, most: int) -> int:
    """A whole number from 0, below the largest."""
    if type(value) is not int or not 0 <= value < most:
        raise ValueError(value)
    return value


__all__ = ["COLOURS", "KINDS", "TYPED", "file_of", "sentences_file"]
