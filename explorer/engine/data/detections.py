"""Pictures with one object: cells of visual words, more of the object's own inside its box.

    box      sides between a quarter and five eighths of the picture, anywhere in it
    inside   a cell shows one of the object's words with probability `purity`, outside with `clutter`,
             otherwise one of the other words; within each group all are as likely

A cell alone says little; the box that collects many of them says nearly everything. Cost: linear in cells.
"""

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.vectors import Ints

OBJECT = ("fur", "ear", "eye", "paw")
GROUND = ("grass", "sky", "leaf", "bark", "stone", "water", "sand", "fence")
WORDS = (*OBJECT, *GROUND)


@settings
class Detections:
    """Pictures made of visual words: find the box around the animal."""

    n: int = knob(30, "Pictures to learn from.", low=1, high=500)
    n_test: int = knob(30, "Pictures to test on.", low=0, high=500)
    size: int = knob(24, "Rows and columns of a picture.", low=8, high=48)
    purity: float = knob(0.55, "How often a cell inside the box shows the animal.", low=0.0, high=1.0)
    clutter: float = knob(0.2, "How often a cell outside the box looks like it.", low=0.0, high=1.0)
    seed: int = knob(0, "Another seed, other pictures.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test pictures."""
        rng = np.random.default_rng(self.seed)
        train = self._draw("pictures", self.n, rng)
        return train, self._draw("pictures (test)", self.n_test, rng) if self.n_test else None

    def _draw(self, name: str, n: int, rng: np.random.Generator) -> Dataset:
        boxes = [random_box(self.size, rng) for _ in range(n)]
        inputs = tuple(self._picture(box, rng) for box in boxes)
        return Dataset(name, inputs, tuple(boxes), {"feature_names": WORDS})

    def _picture(self, box: Ints, rng: np.random.Generator) -> Ints:
        """The words of all cells."""
        x0, y0, x1, y1 = box.tolist()
        share = np.full((self.size, self.size), self.clutter)
        share[y0:y1, x0:x1] = self.purity
        own = rng.random(share.shape) < share
        ground = len(OBJECT) + rng.integers(0, len(GROUND), share.shape)
        return np.where(own, rng.integers(0, len(OBJECT), share.shape), ground)


def random_box(size: int, rng: np.random.Generator) -> Ints:
    """A box somewhere in a square picture."""
    wide, high = rng.integers(max(1, size // 4), max(2, 5 * size // 8 + 1), 2)
    x0, y0 = rng.integers(0, size - wide + 1), rng.integers(0, size - high + 1)
    return np.array([x0, y0, x0 + wide, y0 + high])
