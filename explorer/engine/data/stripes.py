"""Pictures on grids: noisy stripes in three colours, and noisy blobs of ink.

    stripes      12 x 12 cells in three stripes of four columns; a random order r of the colours for every
                 picture: columns 0-3 show r_0, 4-7 r_1, 8-11 r_2; features x = e_colour + sigma N(0, I),
                 three of them
    two states   y = 1 where a smooth random picture (white noise, blurred) is positive; features (x, 1) with
                 x = 2 y - 1 + noise N(0, 1)

The stripes are those of Iglesias 2013, section 4.3. A cell alone is told right with probability integral
phi(z) Phi(z + 1 / sigma)^2 dz (stripes; 86.58 % at sigma = 0.5) or Phi(1 / noise) (two states; 84.13 % at
noise = 1): whatever is better comes from the neighbours. Cost: linear in the number of cells.
"""

import numpy as np
from scipy.ndimage import gaussian_filter

from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import graphs, grid
from explorer.engine.vectors import Array, Ints

COLOURS = ("red", "green", "blue")
INK = ("blank", "ink")


def stripes(
    n: int = 20,
    n_test: int = 20,
    sigma: float = 0.5,
    seed: int = 0,
    rows: int = 12,
    columns: int = 12,
) -> tuple[Dataset, Dataset]:
    """Train and test pictures; meta "orders" holds every r."""
    if columns < 3 or columns % 3:
        raise Refused(f"columns is {columns}; three stripes of equal width need a multiple of 3")
    _check(n, n_test, "sigma", sigma, rows)
    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.tile(np.arange(3), (n + n_test, 1)), axis=1)
    labels = np.repeat(np.repeat(orders, columns // 3, axis=1)[:, None], rows, axis=1)
    inputs = np.eye(3)[labels] + sigma * rng.normal(size=(*labels.shape, 3))
    meta = {"feature_names": COLOURS, "sigma": sigma}
    train, test = slice(0, n), slice(n, n + n_test)
    return (
        _pictures("stripes", inputs[train], labels[train], COLOURS, orders=_listed(orders[train]), **meta),
        _pictures(
            "stripes (test)", inputs[test], labels[test], COLOURS, orders=_listed(orders[test]), **meta
        ),
    )


def two_states(
    n: int = 20, n_test: int = 20, size: int = 16, noise: float = 1.0, seed: int = 0, blur: float = 2.0
) -> tuple[Dataset, Dataset]:
    """Train and test pictures of size x size cells; a larger `blur` makes larger blobs."""
    _check(n, n_test, "noise", noise, size)
    if not 0.0 <= blur <= size:
        raise Refused(f"blur is {blur}; choose between 0 and the size of the picture, {size}")
    rng = np.random.default_rng(seed)
    smooth = gaussian_filter(rng.normal(size=(n + n_test, size, size)), blur, mode="wrap", axes=(1, 2))
    labels = (smooth > 0.0).astype(np.int64)
    seen = 2.0 * labels - 1.0 + noise * rng.normal(size=labels.shape)
    inputs = np.stack([seen, np.ones_like(seen)], axis=-1)
    meta = {"feature_names": ("darkness", "1"), "noise": noise}
    return (
        _pictures("two states", inputs[:n], labels[:n], INK, **meta),
        _pictures("two states (test)", inputs[n:], labels[n:], INK, **meta),
    )


def _pictures(name: str, inputs: Array, labels: Ints, states: tuple[str, ...], **meta: object) -> Dataset:
    """One grid for every picture (rows, columns, features)."""
    rows, columns = labels.shape[1:]
    cells = [grid(x.reshape(rows * columns, -1), rows, columns) for x in inputs]
    return graphs(name, cells, [y.ravel() for y in labels], states, **meta)


def _listed(orders: Ints) -> tuple[tuple[str, ...], ...]:
    """The colours from left to right, of every picture."""
    return tuple(tuple(COLOURS[k] for k in order) for order in orders)


def _check(n: int, n_test: int, name: str, noise: float, rows: int) -> None:
    if min(n, n_test) < 1:
        raise Refused(f"n is {n} and n_test is {n_test}; draw at least one picture of each")
    if not (np.isfinite(noise) and noise >= 0.0):
        raise Refused(f"{name} is {noise}; it is a standard deviation, choose 0 or more")
    if rows < 1:
        raise Refused(f"a picture has {rows} rows; give it at least one")


@settings
class Stripes:
    """Pictures of three coloured stripes in any order, seen through noise: every cell gets a colour."""

    n: int = knob(20, "Training pictures.", low=1, high=500)
    n_test: int = knob(20, "Test pictures.", low=1, high=500)
    sigma: float = knob(
        0.5, "Standard deviation of the noise on each of the three features.", low=0.0, high=3.0
    )
    size: int = knob(12, "Rows and columns of a picture, a multiple of 3.", low=3, high=60)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test pictures."""
        return stripes(self.n, self.n_test, self.sigma, self.seed, self.size, self.size)


@settings
class Blobs:
    """Pictures of ink blobs seen through noise: every cell is ink or blank."""

    n: int = knob(20, "Training pictures.", low=1, high=500)
    n_test: int = knob(20, "Test pictures.", low=1, high=500)
    size: int = knob(16, "Rows and columns of a picture.", low=2, high=100)
    noise: float = knob(
        1.0, "Standard deviation of the noise; 1 is half the distance of ink and blank.", low=0.0, high=5.0
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test pictures."""
        return two_states(self.n, self.n_test, self.size, self.noise, self.seed)
