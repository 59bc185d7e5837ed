"""A labelling drawn: a grid as cells, any other graph as nodes and edges, labels on a circle.

The fill is what a labelling says, and the truth is an outline between the cells of a grid or a ring around a
node. Where the two differ a cell is hatched and holds its truth, and a node has a cross behind it. A
fractional node is a pie. Letters tell states apart without colour. Nodes of graphs can be dragged; their
edges follow in the browser, and the place is told when the drag ends.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.engine.vectors import Array
from explorer.views.kit.drawing.pieces import fill
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.state_colours import fills, ink_on, marks
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.labelling import frame as numbers
from explorer.views.labelling.frame import LabellingFrame
from explorer.views.labelling.glyphs import SOURCES, LabellingGlyphs
from explorer.views.labelling.words import fraction, node_name, noun

BY_KIND = {
    "grid": ("cells", "hatch", "inner", "halo", "outline", "seed cells", "picked cell"),
    "graph": ("edges", "middles", "crosses", "rings", "nodes", "seeds", "picked"),
}
MOST_EDGES = 3000
"""At most this many edges are drawn, the strongest."""

MOST_STATES = 10
"""Tooltips list the scores of at most this many states."""

LEAST_LETTER = 11
"""Pixels that a cell or node needs to carry a letter."""

LEAST_CELL = 6
"""Pixels that a cell needs to be hatched where it is wrong; in smaller ones there is a cross."""

MIDDLE = 0.3
"""Tooltips of an edge begin so far from its ends, where those of nodes end."""


LEAST_NODE, MOST_NODE = 8, 30
"""Pixels that a node is large."""

MANY = 1000
"""Of more nodes the distances are not looked at one by one."""


def nearest(spots: Array) -> float:
    """A distance that nearly all nodes keep from each other."""
    if not 1 < len(spots) <= MANY:
        return np.inf
    far = np.hypot(*(spots[:, None] - spots).T)
    np.fill_diagonal(far, np.inf)
    return float(np.quantile(far.min(axis=1), 0.1))


class LabellingFigure:
    """One plot for grids and graphs; it is filled from a frame."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme, self._dress = LIGHT, None
        self._drawn: tuple[Any, ...] = ()
        self.size, self.letters = 20.0, LIGHT.font
        self.made = LabellingGlyphs()
        self.plot, self.sources, self.glyphs = self.made.plot, self.made.sources, self.made.draw
        self.room = Room(self.plot, 300, 230, resized, few=0)

    def recolour(self, theme: Theme) -> None:
        """Give all glyphs the theme's colours."""
        self.theme, self._dress = theme, None
        self.made.recolour(theme)

    # filling ------------------------------------------------------------------------------------------------

    def show(self, shown: LabellingFrame, place: Array, picked: int | None) -> None:
        """Put a frame into the sources, with every node at its place."""
        self._scale(shown)
        self._show_states(shown)
        if self._is_new(shown, place):
            self._show_nodes(shown, place)
            self._show_wrong(shown, place)
            self._show_edges(shown, place)
            self._fill("outline", *numbers.borders(shown).T)
        for name, nodes in (
            ("picked", [] if picked is None else [picked]),
            ("seeds", list(shown.edits.seeds)),
        ):
            self._fill(name, nodes, *place[np.array(nodes, dtype=np.int64)].T)
        self._dress_up(shown)

    def _is_new(self, shown: LabellingFrame, place: Array) -> bool:
        """Whether anything but the picked node is new: a large grid is not sent again for a click."""
        before, self._drawn = self._drawn, (shown.shown, shown.field, self.theme, self.size, place.tobytes())
        same = [new is old for new, old in zip(self._drawn[:3], before[:3], strict=False)]
        return not same or not all(same) or self._drawn[3:] != before[3:]

    def _fill(self, name: str, *columns: Any) -> None:
        fill(self.sources[name], *columns)

    def _scale(self, shown: LabellingFrame) -> None:
        """Ranges in which cells are square and graphs fill the room; how large a node is then, in pixels."""
        wide, high = self.room.wide, self.room.high
        if shown.shape is not None:
            rows, columns = shown.shape
            self.size = max(0.5, min(wide / (columns + 0.2), high / (rows + 0.2)))
            across, down = wide / self.size / 2, high / self.size / 2
            middle = (columns - 1) / 2, (rows - 1) / 2
            self.plot.x_range.update(start=middle[0] - across, end=middle[0] + across)
            self.plot.y_range.update(start=middle[1] + down, end=middle[1] - down)
            return
        self.size = float(np.clip(0.42 * np.sqrt(wide * high / max(1, len(shown))), LEAST_NODE, MOST_NODE))
        self.letters = int(np.clip(wide / 22, 10, self.theme.font))
        longest = 0.58 * self.letters * max(map(len, shown.names), default=0) if shown.kind == "labels" else 0
        edge = (1.1 * self.size + longest, (2.2 if longest else 1.1) * self.size)
        scale = []
        for axis, pixels, margin, values in zip(
            (self.plot.x_range, self.plot.y_range), (wide, high), edge, shown.place.T, strict=True
        ):
            low, reach = float(values.min()), float(np.ptp(values)) or 1.0
            inside = max(20.0, pixels - 2 * margin)
            axis.update(start=low - reach * margin / inside, end=low + reach + reach * margin / inside)
            scale.append(inside / reach)
        self.size = float(np.clip(0.8 * nearest(shown.place * scale), LEAST_NODE, self.size))

    def _show_states(self, shown: LabellingFrame) -> None:
        """Colours and names, sent only when they change."""
        dress = (shown.states, self.theme, shown.names, shown.shape, len(shown))
        if dress == self._dress:
            return
        self._dress, self.fills = dress, fills(shown.states, self.theme)
        K, self.inks = len(shown.states), np.array([ink_on(colour) for colour in self.fills], dtype=object)
        self.made.mapper.update(palette=self.fills, low=-0.5, high=K - 0.5)
        self._fill("key", [np.nan] * K, list(range(K)), list(shown.states))
        self._fill("names", [] if shown.shape else [node_name(shown, u) for u in range(len(shown))])
        self._fill("shape", [shown.shape[1]] if shown.shape else [])
        listed = range(K if K <= MOST_STATES else 0)
        scores = [
            (f"score of {shown.states[s]}", f"@own{s}{{0.000}}, with neighbours @sum{s}{{0.000}}")
            for s in listed
        ]
        head = [(noun(shown), "@node{c}"), ("truth", "@truth{c}"), ("shown", "@shown{c}")]
        self.made.hover.tooltips = head + scores

    def _show_nodes(self, shown: LabellingFrame, place: Array) -> None:
        """Small numbers: a large grid is sent often."""
        data = {"node": np.arange(len(shown), dtype=np.int32), "x": place[:, 0], "y": place[:, 1]}
        data |= {"shown": shown.shown.labels.astype(np.int32), "truth": shown.truth.astype(np.int32)}
        if len(shown.states) <= MOST_STATES:
            total = numbers.sums(shown)
            for s in range(len(shown.states)):
                data |= {
                    f"own{s}": shown.base[:, s].astype(np.float32),
                    f"sum{s}": total[:, s].astype(np.float32),
                }
        self.sources["nodes"].data = data
        self._show_letters(shown, place)
        self._show_pies(shown, place, shown.shown.fractional)
        self._show_titles(shown, place)

    def _show_letters(self, shown: LabellingFrame, place: Array) -> None:
        """The truth in a cell, the state in a node, the largest share where it is fractional."""
        if self.size < LEAST_LETTER:
            self._fill("letters")
            return
        state = shown.truth if shown.shape else shown.shown.labels
        text = np.array(marks(shown.states), dtype=object)[state]
        for node in shown.shown.fractional:
            text[node] = fraction(shown.shown.weights(len(shown.states))[node].max())
        self._fill("letters", np.arange(len(shown)), *place.T, list(text), list(self.inks[state]))

    def _show_pies(self, shown: LabellingFrame, place: Array, half: Any) -> None:
        """One slice for every state that has a share, from the top clockwise."""
        if not len(half):
            self._fill("pies")
            return
        shares = shown.shown.weights(len(shown.states))[half]
        ends = 0.5 * np.pi - 2.0 * np.pi * np.cumsum(shares, axis=1)
        row, state = np.nonzero(shares > 1e-9)
        start = ends[row, state] + 2.0 * np.pi * shares[row, state]
        node = half[row]
        self._fill("pies", node, *place[node].T, ends[row, state], start, state)

    def _show_titles(self, shown: LabellingFrame, place: Array) -> None:
        """Names outside a circle of labels."""
        if shown.kind != "labels":
            self._fill("titles")
            return
        away = 0.8 * self.size + 10
        x, y = shown.place.T
        align = np.where(x > 0.2, "left", np.where(x < -0.2, "right", "center"))
        base = np.where(y > 0.9, "bottom", np.where(y < -0.9, "top", "middle"))
        offsets = (away * x, -away * y)
        self._fill(
            "titles", np.arange(len(shown)), *place.T, list(shown.names), *offsets, list(align), list(base)
        )

    def _show_wrong(self, shown: LabellingFrame, place: Array) -> None:
        wrong = shown.wrong
        ink = list(self.inks[shown.shown.labels[wrong]])
        self._fill("wrong", wrong, *place[wrong].T, shown.truth[wrong], ink)

    def _show_edges(self, shown: LabellingFrame, place: Array) -> None:
        for name, pairs in (("added", shown.added), ("removed", shown.removed)):
            self._fill(name, *place[pairs[:, 0]].T, *place[pairs[:, 1]].T, *pairs.T)
        if shown.shape is not None:
            self._fill("edges")
            self._fill("middles")
            return
        found = numbers.edge_table(shown)
        size = np.abs(found["score"])
        keep = np.sort(np.argsort(-size, kind="stable")[:MOST_EDGES])
        a, b, ya, yb, score = (found[name][keep] for name in ("a", "b", "ya", "yb", "score"))
        width = 0.6 + 3.4 * size[keep] / (float(size.max(initial=0.0)) or 1.0)
        dash = ["solid" if value >= 0 else "dashed" for value in score]
        self._fill("edges", *place[a].T, *place[b].T, a, b, ya, yb, score, width, dash)
        inner = [(1 - share) * place[a] + share * place[b] for share in (MIDDLE, 1 - MIDDLE)]
        self._fill("middles", *inner[0].T, *inner[1].T, a, b, ya, yb, score)

    # dressing -----------------------------------------------------------------------------------------------

    def _dress_up(self, shown: LabellingFrame) -> None:
        """Show the glyphs of this kind of graph, in sizes that fit; explain only the signs that are there."""
        grid, draw, line, size = shown.shape is not None, self.glyphs, self.theme.line, self.size
        tiny = grid and size < LEAST_CELL
        for kind, names in BY_KIND.items():
            for name in names:
                draw[name].visible = (kind == "grid") == grid
        some = {name: len(next(iter(self.sources[name].data.values()))) > 0 for name in SOURCES}
        signs = {
            "truth": grid,
            "truth (ring)": not grid,
            "wrong": grid and not tiny and some["wrong"],
            "wrong (cross)": (tiny or not grid) and some["wrong"],
            "fractional": some["pies"],
            "painted": some["seeds"],
            "edge put in": some["added"],
            "edge taken out": some["removed"],
        }
        for name, seen in signs.items():
            self.made.items[name].visible = seen
        ring = size + min(2 * line + 3, 0.5 * size)
        cross = 0.8 * size if grid else 1.6 * ring
        sizes = {"nodes": size, "rings": ring, "crosses": cross, "seeds": ring + 5, "picked": 1.9 * ring}
        for name, pixels in sizes.items():
            draw[name].glyph.size = pixels
        draw["rings"].glyph.line_width = min(1.5 * line, 0.24 * size)
        draw["pies"].glyph.radius = 0.36 * size if grid else 0.5 * size
        draw["hatch"].glyph.hatch_scale = float(np.clip(0.4 * size, 3, 10))
        draw["hatch"].visible = draw["inner"].visible = draw["halo"].visible = grid and not tiny
        draw["crosses"].visible = tiny or not grid
        # Cells that touch show seams between them: tiny ones overlap instead of having lines around them.
        side = {"width": 1.2, "height": 1.2, "line_color": None} if tiny else {"width": 1, "height": 1}
        draw["cells"].glyph.update(**({"line_color": self.theme.background} | side))
        colour = {"field": "ink"} if tiny else self.theme.text
        draw["crosses"].glyph.update(line_color=colour, line_width=0.3 * size if tiny else 1.25 * line)
        draw["outline"].glyph.line_width = min(1.5 * line, 0.6 * size) if grid else line
        letters = max(8, min(self.theme.font, int(0.62 * size)))
        draw["letters"].glyph.text_font_size = f"{letters}px"
        draw["titles"].glyph.text_font_size = f"{self.letters}px"
        draw["key"].glyph.update(marker="square" if grid else "circle", size=13)
