"""The trellis in words: the recursion's current move written out, the three paths, the k best."""

from typing import Any

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.views.trellis.frame import MOST_EDGES, TrellisFrame, edge_count
from explorer.views.trellis.recursion import RecursionMove, best_path, cells, current, decimals

LISTED = 4
"""A recursion sentence names this many candidates, the best ones."""

SPELLED = 24
"""Paths of more letters are not spelled out in sentences."""


def recursion(shown: TrellisFrame) -> str:
    """The current move written out with its numbers."""
    now = current(shown)
    if now is None:
        return ""
    digits = decimals(shown)
    if not now.back:
        return _forward(shown, now, digits)
    found = f"so position {now.t} is {quote(shown, now.s)}."
    if now.origin < 0:
        options = _maximum(now, shown.chi[-1], shown.shown.stop, shown.states, digits)
        return f"Best end: {options} = {now.options[now.s]:.{digits}f}, {found}"
    told = f"Back: zeta[{now.t + 1}]({quote(shown, now.origin)}) = {quote(shown, now.s)}, {found}"
    if now.t:
        return told
    path = best_path(shown)
    best = "" if is_long(shown) else f" is {path_text(shown, path)}, it"
    return f"{told} The best path{best} has score {float(shown.shown.scores(path)[0]):.{digits}f}."


def _forward(shown: TrellisFrame, now: RecursionMove, digits: int) -> str:
    name = f"chi[{now.t}]({quote(shown, now.s)})"
    own, value = _own(shown, now.t, now.s, digits), f"{shown.chi[now.t, now.s]:.{digits}f}"
    if now.t == 0:
        return f"{name} = {shown.shown.start[now.s]:.{digits}f} to start {_with_sign(own)} = {value}."
    best = _maximum(now, shown.chi[now.t - 1], shown.shown.trans[:, now.s], shown.states, digits)
    return f"{name} = {own} + {best} = {value} from {quote(shown, now.origin)}."


def _own(shown: TrellisFrame, t: int, s: int, digits: int) -> str:
    """The node's own score, with what the edit and the loss add to it."""
    text = f"{shown.base[t, s]:.{digits}f}"
    edit = shown.edits.get((t, s), 0.0)
    if edit:
        text += f" {_plus(edit, digits)} edit"
    if shown.with_loss:
        text += f" {_plus(shown.shown.unary[t, s] - shown.plain.unary[t, s], digits)} loss"
    return text


def _plus(value: float, digits: int) -> str:
    return f"{'-' if value < 0 else '+'} {abs(value):.{digits}f}"


def _with_sign(text: str) -> str:
    return f"- {text[1:]}" if text.startswith("-") else f"+ {text}"


def _maximum(now: RecursionMove, before: Array, move: Array, states: tuple[str, ...], digits: int) -> str:
    """max(...) over the sums of a cell in the order of the states; of many only the best are named."""
    order = np.sort(np.argsort(-now.options, kind="stable")[:LISTED])
    terms = [f"{before[a]:.{digits}f} {_plus(move[a], digits)} from '{states[a]}'" for a in order]
    rest = len(now.options) - len(order)
    more = [f"{rest} lower"] if rest else []
    return f"max({', '.join(terms + more)})"


def quote(shown: TrellisFrame, s: int) -> str:
    """The name of a state in quotes."""
    return f"'{shown.states[s]}'"


def path_text(shown: TrellisFrame, path: Ints) -> str:
    """A path as its states' names."""
    names = [shown.states[s] for s in path]
    return ("-" if all(name.isalnum() for name in names) else " ").join(names)


def is_long(shown: TrellisFrame) -> bool:
    """Whether the paths are too long to be spelled out."""
    return len(path_text(shown, shown.truth)) > SPELLED


def list_places(places: Ints, most: int = 5) -> str:
    """The first few of some positions."""
    return ", ".join(str(t) for t in places[:most]) + (", ..." if len(places) > most else "")


def sentence(shown: TrellisFrame) -> str:
    """The move under way while the recursion plays, else prediction, truth and most tempting labelling."""
    if shown.cell >= 0:
        return f"Cell {shown.cell + 1} of {cells(shown)}. {recursion(shown)}"
    parts = [_prediction(shown) + "; " + _violation(shown)]
    if shown.step is None:
        parts.insert(0, "Nothing trained yet: all scores are 0, and ties go to the first state.")
    if shown.edits:
        parts.append(_what_if(shown))
    if shown.with_loss:
        parts.append("Scores include the loss.")
    if len(shown.path_scores) > 1:
        gap = shown.path_scores[0] - shown.path_scores[1]
        parts.append(f"The second best path is {gap:.{decimals(shown)}f} lower.")
    if shown.long:
        parts.append(f"Positions {shown.lo} to {shown.hi - 1} of {shown.length} are shown.")
    drawn, all_edges = min(edge_count(shown), MOST_EDGES), edge_count(shown)
    if drawn < all_edges:
        parts.append(f"The strongest {drawn:,} of {all_edges:,} edges are drawn.")
    return " ".join(parts)


def _prediction(shown: TrellisFrame) -> str:
    wrong, T, who = shown.wrong, shown.length, f"{shown.name} {shown.example}"
    if is_long(shown):
        where = f" (at {list_places(wrong)})" if len(wrong) else ""
        return f"{who}: {len(wrong)} of {T} positions wrong{where}"
    if not len(wrong):
        return f"{who}: predicted {path_text(shown, shown.guess)}, all {T} right"
    both = f"predicted {path_text(shown, shown.guess)}, truth {path_text(shown, shown.truth)}"
    return f"{who}: {both}; {len(wrong)} of {T} wrong"


def _violation(shown: TrellisFrame) -> str:
    if np.array_equal(shown.rival, shown.truth):
        return "no labelling is violated."
    which = f" {path_text(shown, shown.rival)}" if not is_long(shown) else ""
    return f"most tempting labelling{which} has loss {shown.loss:.4g} and violation {shown.violation:.4g}."


def _what_if(shown: TrellisFrame) -> str:
    named = [f"{delta:+.4g} on {quote(shown, s)} at {t}" for (t, s), delta in shown.edits.items()]
    edits = ", ".join(named[:3]) + (", ..." if len(named) > 3 else "")
    changed = np.flatnonzero(shown.guess != shown.before)
    if not len(changed):
        return f"What if {edits}: the prediction stays the same."
    if is_long(shown):
        return f"What if {edits}: the path flips at {list_places(changed)}."
    before, after = path_text(shown, shown.before), path_text(shown, shown.guess)
    return f"What if {edits}: the path flips from {before} to {after}."


def ranking(shown: TrellisFrame) -> list[str]:
    """The best path, and for the others of the k best how much lower they are and where they differ."""
    out, digits = [], decimals(shown)
    for path, score in zip(shown.paths, shown.path_scores, strict=True):
        other = np.flatnonzero(path != shown.paths[0])
        names = [f"{quote(shown, path[t])} at {t}" for t in other[:3]] + ["..."] * (len(other) > 3)
        out.append(f"{shown.path_scores[0] - score:.{digits}f} lower: {', '.join(names)}")
    best = "best path" if is_long(shown) else f"best: {path_text(shown, shown.paths[0])}" if out else ""
    return [best, *out[1:]] if out else []


def table(shown: TrellisFrame) -> dict[str, Any]:
    """Per position the labels on the three paths, their node scores, and the k best."""
    t = np.arange(shown.length)
    columns: dict[str, Any] = {"position": t}
    if shown.tokens:
        columns["word"] = shown.tokens
    paths = {"truth": shown.truth, "guess": shown.guess, "most tempting": shown.rival}
    columns |= {name: [shown.states[s] for s in path] for name, path in paths.items()}
    columns |= {f"score of {name}": shown.shown.unary[t, path] for name, path in paths.items()}
    columns["min-marginal of truth"] = shown.price[t, shown.truth]
    for place, path in enumerate(shown.paths[1:], 2):
        columns[f"{place}. best"] = [shown.states[s] for s in path]
    return columns
