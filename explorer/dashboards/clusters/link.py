"""A clustering lab as a query string, and back: similarity, truth, question, clusterers and their step.

    ?v=1&source=points&shape=threshold&reach=0.3&points=150,750;240,860&truth=001&edits=0-3:2.5&...

Points are thousandths; numbers of clusters beyond 9 are letters. Only what the source needs is written.
"""

from typing import Any

from explorer.dashboards.address import THEME
from explorer.engine.catalogue.oracle_names import oracle_named, spell
from explorer.engine.data.cluster_figures import FIGURES
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.labs.clusterings.comparison import FAMILIES
from explorer.labs.clusterings.instance import (
    ASKS,
    LARGEST,
    LARGEST_SEED,
    LOSSES,
    POINTS,
    RANDOM,
    SCALINGS,
    SHAPES,
    SIZES,
    ClusterChoice,
)
from explorer.labs.clusterings.shift import LARGEST_SHIFT
from explorer.labs.clusterings.state import FIRST, ClusterSetup
from explorer.session.links import codec
from explorer.session.links.codec import Part, Reading

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
OF_SOURCE = {RANDOM: ("size", "seed"), POINTS: ("shape", "reach")}
USUAL = FIRST.choice


def _points(text: str) -> tuple[tuple[float, float], ...]:
    """Points of the unit square, in thousandths."""
    rows = [tuple(int(v) for v in row.split(",")) for row in text.split(";")]
    if not SIZES[0] <= len(rows) <= SIZES[1] or any(
        len(row) != 2 or min(row) < 0 or max(row) > 1000 for row in rows
    ):
        raise ValueError(text)
    return tuple((x / 1000, y / 1000) for x, y in rows)


def _edits(text: str) -> tuple[tuple[int, int, float], ...]:
    """Entries "i-j:value"."""
    out = []
    for part in filter(None, text.split(";")):
        pair, _, value = part.partition(":")
        i, j = (int(v) for v in pair.split("-"))
        if not (0 <= i < SIZES[1] and 0 <= j < SIZES[1] and abs(float(value)) <= LARGEST):
            raise ValueError(text)
        out.append((i, j, float(value)))
    return tuple(out)


def _labels(text: str) -> tuple[int, ...]:
    """One digit or letter for each item."""
    return tuple(DIGITS.index(letter) for letter in text)


def _digits(labels: tuple[int, ...]) -> str:
    return "".join(DIGITS[c] for c in labels)


CHOICE = (
    Part("source", USUAL.source, menu=(*FIGURES, RANDOM, POINTS)),
    Part("size", USUAL.size, *SIZES),
    Part("seed", USUAL.seed, 0, LARGEST_SEED),
    Part("shape", USUAL.shape, menu=SHAPES),
    Part("reach", USUAL.reach, 0.05, 1.5),
    Part("asks", USUAL.asks, menu=ASKS),
    Part("loss", USUAL.loss, menu=LOSSES),
    Part("scaling", USUAL.scaling, menu=SCALINGS),
    Part("groups", USUAL.groups, 1, SIZES[1]),
    Part(
        "points",
        USUAL.points,
        reader=_points,
        writer=lambda points: ";".join(f"{round(1000 * x)},{round(1000 * y)}" for x, y in points),
    ),
    Part(
        "edits",
        (),
        reader=_edits,
        writer=lambda edits: ";".join(f"{i}-{j}:{value:g}" for i, j, value in edits),
    ),
    Part("truth", (), reader=_labels, writer=_digits),
)
LOOK = (
    Part("own", (), reader=_labels, writer=_digits),
    Part("family", FIRST.family, menu=FAMILIES),
    Part("show", FIRST.shown),
    Part("step", FIRST.step),
    Part("shift", FIRST.shift, -LARGEST_SHIFT, LARGEST_SHIFT),
    THEME,
)


def query(setup: ClusterSetup, theme: str = "light") -> str:
    """The query string of a lab, without the question mark."""
    choice = setup.choice
    names = ["source", *OF_SOURCE.get(choice.source, ()), "asks", "loss", "scaling", "groups"]
    names += ["points"] if choice.source == POINTS else []
    names += [name for name in ("edits", "truth") if getattr(choice, name)]
    own: dict[str, Any] = {"own": setup.own} if setup.own else {}
    other = {"oracles": ";".join(map(spell, setup.oracles))} if setup.oracles else {}
    look = {
        "family": setup.family,
        "show": setup.shown,
        "step": setup.step,
        "shift": setup.shift,
        "theme": theme,
    }
    return codec.query({name: getattr(choice, name) for name in names} | own | other | look, (*CHOICE, *LOOK))


def read(text: str) -> tuple[ClusterSetup, tuple[str, ...]]:
    """The lab of a query string, and a sentence for each part that was left out."""
    said = Reading(text, "the first figure")
    grouped = "groups" in said.texts
    choice = ClusterChoice(**said.take_all(CHOICE))
    fitted = choice.in_range()
    said.faults += _misfits(choice, fitted, grouped)
    oracles, look = (
        said.take_each("oracles", lambda name: oracle_named(name, CLUSTER_ORACLES)),
        said.take_all(LOOK),
    )
    setup = ClusterSetup(
        fitted, look["family"], look["show"], look["step"], look["shift"], oracles, look["own"]
    )
    return setup, said.end()


def _misfits(asked: ClusterChoice, fitted: ClusterChoice, grouped: bool) -> list[str]:
    """What the items of the link have no room for."""
    faults = []
    if grouped and fitted.groups != asked.groups:
        faults.append(
            f"The link asks for {asked.groups} clusters of {fitted.groups} items; k is {fitted.groups} now."
        )
    if asked.truth and not fitted.truth:
        faults.append(
            f"The link's truth is of {len(asked.truth)} items, which is not their number; it was left out."
        )
    if len(fitted.edits) < len({(min(i, j), max(i, j)) for i, j, _ in asked.edits}):
        faults.append("Some edits of the link name items that are not there, and were left out.")
    return faults
