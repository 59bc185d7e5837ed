"""Marbles: groups by hue, where the hues of training are not those of testing.

    training   three groups, hues near 0 (red), 120 (green), 240 (blue) degrees, normal with a spread of a few
               degrees
    testing    hues near 60 (yellow), 180 (cyan), 300 (magenta)

A classifier of single marbles knows red, green and blue only and cuts each test group in half: normalised
loss near 50. A similarity learnt from the difference in hue goes over to new colours: loss 0. Finley 2009,
section 1.5.1 and figure 1.3. Size, weight and clarity say nothing. psi_ij = [hue difference / 60, three
absolute differences, 1], all differences negated so that more is more alike; with `nearest`, each marble also
says which training hue is nearest, which tells the groups of training and cuts those of testing in half.
Cost: one look at every pair.
"""

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import differences, item_sets
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.vectors import Array, Ints

COLOURS = ("red", "green", "blue")
OTHERS = ("yellow", "cyan", "magenta")
CENTRES = np.array([0.0, 120.0, 240.0])
IRRELEVANT = ("size", "weight", "clarity")
PAIRS = ("alike in hue", *(f"alike in {name}" for name in IRRELEVANT), "1")


def marbles(
    n: int = 5,
    n_test: int = 5,
    per_group: int = 20,
    spread: float = 8.0,
    nearest: bool = False,
    seed: int = 0,
) -> tuple[Dataset, Dataset]:
    """Training and test sets; meta["hues"] holds every marble's hue and meta["classes"] the colour it belongs
    to.
    """
    if min(n, n_test, per_group) < 1:
        raise Refused(f"n is {n}, n_test {n_test} and per_group {per_group}; choose at least 1 of each")
    if not 0.0 <= spread <= 20.0:
        raise Refused(f"spread is {spread}; beyond 20 degrees groups run into each other, choose 0 to 20")
    rng = np.random.default_rng(seed)
    train = _sets(rng, "marbles", n, per_group, spread, COLOURS, CENTRES, nearest)
    return train, _sets(rng, "marbles (test)", n_test, per_group, spread, OTHERS, CENTRES + 60.0, nearest)


def _sets(
    rng: np.random.Generator,
    name: str,
    n: int,
    per_group: int,
    spread: float,
    colours: tuple[str, ...],
    centres: Array,
    nearest: bool,
) -> Dataset:
    classes = [rng.permutation(np.repeat(np.arange(3), per_group)) for _ in range(n)]
    hues = [(centres[c] + spread * rng.normal(size=len(c))) % 360.0 for c in classes]
    inputs = [
        _set(h, rng.random((len(h), 3)), [colours[k] for k in c], nearest)
        for h, c in zip(hues, classes, strict=True)
    ]
    own = tuple(f"both nearest to {colour}" for colour in COLOURS) if nearest else ()
    about = f"Marbles in three groups by hue ({', '.join(colours)}); size, weight and clarity say nothing."
    texts = [tuple(f"hue {h:.0f} degrees" for h in each) for each in hues]
    each = {"hues": hues, "classes": classes, "texts": texts}
    return item_sets(name, inputs, classes, (*own, *PAIRS), about, each, colours=colours)


def _set(hues: Array, rest: Array, names: list[str], nearest: bool) -> ItemSet:
    """One bag of marbles, drawn around the colour wheel."""
    alike = [-hue_difference(hues) / 60.0, *-np.abs(differences(rest)).T]
    angle, radius = np.deg2rad(hues), 0.7 + 0.3 * rest[:, 0]
    place = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    nodes = np.eye(3)[nearest_centre(hues, CENTRES)] if nearest else None
    pairs = np.column_stack([*alike, np.ones(len(alike[0]))])
    return item_set(
        len(hues), nodes, pairs=pairs, names=names, place=place, groups=3, where="a bag of marbles"
    )


def hue_difference(hues: Array) -> Array:
    """The angle between the hues of all pairs i < j, 0 to 180 degrees."""
    apart = np.abs(differences(hues)) % 360.0
    return np.minimum(apart, 360.0 - apart)


def nearest_centre(hues: Array, centres: Array) -> Ints:
    """Which centre is nearest on the wheel; the first of two that are equally near."""
    apart = np.abs(hues[:, None] - centres[None, :]) % 360.0
    return np.argmin(np.minimum(apart, 360.0 - apart), axis=1)


def nearest_class(train: Dataset, test: Dataset) -> list[Ints]:
    """What a classifier of single marbles says of test marbles: the class whose mean hue in training is
    nearest.
    """
    hues, classes = (np.concatenate(train.meta[key]) for key in ("hues", "classes"))
    turned = np.exp(1j * np.deg2rad(hues))
    centres = (
        np.rad2deg(np.angle([turned[classes == k].mean() for k in range(int(classes.max()) + 1)])) % 360.0
    )
    return [nearest_centre(each, centres) for each in test.meta["hues"]]


@settings
class Marbles:
    """Marbles in groups by hue, where testing has other colours than training."""

    n: int = knob(5, "Training sets, in red, green and blue.", low=1, high=100)
    n_test: int = knob(5, "Test sets, in yellow, cyan and magenta.", low=1, high=100)
    per_group: int = knob(20, "Marbles of each colour.", low=2, high=200)
    spread: float = knob(8.0, "Standard deviation of a colour's hue in degrees.", low=0.0, high=20.0)
    nearest: bool = knob(
        False, "Also say which training hue is nearest to each marble; of no use for other colours."
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """Training and test sets of different colours."""
        return marbles(self.n, self.n_test, self.per_group, self.spread, self.nearest, self.seed)
