"""Beside a labelling, as HTML: what decides one node, or how often each state is right."""

from html import escape

import numpy as np

from explorer.views.kit.drawing.state_colours import fills, ink_on
from explorer.views.kit.drawing.theme import Theme
from explorer.views.labelling import words
from explorer.views.labelling.frame import LabellingFrame

LOOK, PAINT, EDGES = "look", "paint", "edges"
"""What a click does."""

PANEL = """
:host { overflow-y: auto }
p { margin: 2px 0; font-size: var(--type-small, 14px); line-height: 1.3 }
table { border-collapse: collapse; font-size: var(--type-small, 14px); width: 100%; margin: 3px 0 }
th, td { padding: 1px 5px; text-align: right; font-weight: normal;
  border-bottom: 1px solid rgba(128, 128, 128, 0.35) }
th:first-child { text-align: left }
tr.sum th, tr.sum td { font-weight: 600; border-top: 2px solid currentColor }
td i { display: block; height: 5px; margin: 1px 0 2px auto; background: currentColor; opacity: 0.55 }
td i.least { background: none; border-bottom: 1px solid }
b.state { white-space: nowrap; padding: 0 5px; border-radius: 3px; font-weight: 600 }
"""


def panel(shown: LabellingFrame, picked: int | None, mode: str, theme: Theme) -> str:
    """What decides the picked node; or how often each state is right, and what a click does."""
    noun = words.noun(shown)
    if picked is not None and picked < len(shown):
        if mode == EDGES:
            return f"<p>From <b>{escape(words.node_name(shown, picked))}</b>: click the other {noun}.</p>"
        return decision(shown, picked, theme)
    told = {
        LOOK: f"Click a {noun} to see what decides its state.",
        PAINT: f"Click {noun}s to force their state; click again to let go.",
        EDGES: f"Click two {noun}s to take the edge between them out, or to put one in.",
    }
    columns = words.counts(shown)
    cells = [[f"{part[s]}" for part in columns.values()] for s in range(len(shown.states))]
    rows = [_row(_chip(shown, s, theme), cells[s]) for s in range(len(shown.states))]
    return f"<p>{told[mode]}</p>" + _table(list(columns), rows)


def decision(shown: LabellingFrame, node: int, theme: Theme) -> str:
    """The scores of a node and what its neighbours add, with the sum that decides."""
    made = words.decision(shown, node)
    some = words.shown_states(made.total)
    rows = [_row(escape(name), [f"{part[s]:.2f}" for s in some]) for name, part in made.rows]
    least, reach = made.total[some].min(), float(np.ptp(made.total[some])) or 1.0
    bars = [f"<i style='width:{100 * (made.total[s] - least) / reach:.0f}%'></i>" for s in some]
    last = [f"{made.total[s]:.2f}{bar}" for s, bar in zip(some, bars, strict=True)]
    table = _table([_chip(shown, s, theme) for s in some], [*rows, _row("sum", last, " class='sum'")])
    return f"<p><b>{escape(made.title)}</b></p>{table}<p>{escape(made.verdict)}</p>"


def _chip(shown: LabellingFrame, s: int, theme: Theme) -> str:
    colour = fills(shown.states, theme)[s]
    return (
        f"<b class='state' style='background:{colour};color:{ink_on(colour)}'>{escape(shown.states[s])}</b>"
    )


def _row(name: str, cells: list[str], more: str = "") -> str:
    return f"<tr{more}><th scope='row'>{name}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _table(heads: list[str], rows: list[str]) -> str:
    head = "".join(f"<th scope='col'>{name}</th>" for name in heads)
    return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


__all__ = ["EDGES", "LOOK", "PAINT", "PANEL", "panel"]
