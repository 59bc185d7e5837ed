"""The labelling in words: what is wrong, what the oracle found, what edits changed, what decides a node."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.views.labelling.frame import FILLS, LabellingFrame, NodeStates, neighbours, sums
from explorer.wording import quantity

NOUNS = {"grid": "cell", "graph": "node", "labels": "label"}
LISTED = 5
"""This many neighbours are named, those that matter most; the others are added up."""

MOST_ROWS = 200
"""The data table has this many nodes, wrong ones first."""

SIDES = {(0, 1): "right", (0, -1): "left", (1, 0): "below", (-1, 0): "above"}


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What decides one node: named rows of scores for every state, and their sum."""

    title: str
    verdict: str
    rows: tuple[tuple[str, Array], ...]
    total: Array


def noun(shown: LabellingFrame) -> str:
    """What the nodes are called."""
    return NOUNS[shown.kind]


def node_name(shown: LabellingFrame, node: int) -> str:
    """A cell by row and column, a node or label by its name, else by its number."""
    if shown.shape is not None:
        row, column = divmod(int(node), shown.shape[1])
        return f"row {row + 1}, column {column + 1}"
    return shown.names[node] if shown.names else f"node {node}"


def state_of(shown: LabellingFrame, given: NodeStates, node: int) -> str:
    """The state of a node, or its shares."""
    if given.shares is None or node not in given.fractional:
        return shown.states[int(given.labels[node])]
    parts = [(s, share) for s, share in enumerate(given.shares[node]) if share > 1e-6]
    return " + ".join(f"{fraction(share)} {shown.states[s]}" for s, share in parts)


def fraction(share: float) -> str:
    """A share as a simple fraction."""
    return str(Fraction(float(share)).limit_denominator(12))


# the sentence -----------------------------------------------------------------------------------------------


def sentence(shown: LabellingFrame) -> str:
    """How much of the fill is wrong, the most tempting labelling, and what the edits changed."""
    parts = [f"{shown.name} {shown.example}: {_main_sentence(shown)}{_fractional(shown)}."]
    if shown.step is None:
        parts.insert(0, "Nothing trained yet: all scores are 0, and ties go to the first state.")
    if shown.edits:
        parts.append(_what_if(shown))
    return " ".join(parts)


def _main_sentence(shown: LabellingFrame) -> str:
    m, wrong = len(shown), len(shown.wrong)
    share = f"{wrong} of {quantity(m, noun(shown))} wrong ({100 * wrong / m:.1f} %)"
    none = np.array_equal(shown.rival.labels, shown.truth) and shown.rival.shares is None
    cost = f"loss {shown.loss:.4g} and violation {shown.violation:.4g}"
    if shown.fill == FILLS[1] and not none:
        return f"the oracle's most tempting labelling has {share}, {cost}"
    found = f"the oracle's most tempting labelling has {cost}"
    lead = {FILLS[0]: share, FILLS[1]: "the truth is shown", FILLS[2]: "the truth is shown"}
    said = lead.get(shown.fill, f"by their own scores alone {share}")
    return f"{said}; {'the oracle finds no labelling that is violated' if none else found}"


def _fractional(shown: LabellingFrame) -> str:
    count = len(shown.shown.fractional)
    return f"; {quantity(count, noun(shown))} {'is' if count == 1 else 'are'} fractional" if count else ""


def _what_if(shown: LabellingFrame) -> str:
    painted = [f"{node_name(shown, u)} is {shown.states[s]}" for u, s in shown.edits.seeds.items()]
    names = [f"{node_name(shown, a)} and {node_name(shown, b)}" for a, b in (*shown.removed, *shown.added)]
    verbs = ["are parted"] * len(shown.removed) + ["are joined"] * len(shown.added)
    all_edits = painted + [f"{pair} {verb}" for pair, verb in zip(names, verbs, strict=True)]
    what = (
        "What if "
        + ", ".join(all_edits[:2])
        + (f" and {len(all_edits) - 2} more" if len(all_edits) > 2 else "")
    )
    if shown.refused:
        return f"{what}: {shown.refused}."
    changed = int(np.count_nonzero(shown.guess.labels != shown.before.labels))
    stays = not changed and len(shown.guess.fractional) == len(shown.before.fractional)
    if stays:
        return f"{what}: the prediction stays the same."
    was, now = (int(np.count_nonzero(given.labels != shown.truth)) for given in (shown.before, shown.guess))
    verb = "changes" if changed == 1 else "change"
    return (
        f"{what}: {quantity(changed, noun(shown))} of the prediction {verb}; before {was} wrong, now {now}."
    )


# one node ---------------------------------------------------------------------------------------------------


def decision(shown: LabellingFrame, node: int) -> Decision:
    """What decides the state of one node while its neighbours keep theirs."""
    who, adds = neighbours(shown, node)
    rows = [("own score", shown.base[node])]
    if node in shown.edits.seeds:
        rows.append(("painted", shown.field.unary[node] - shown.base[node]))
    rows += [(beside(shown, node, int(v)), part) for v, part in zip(who[:LISTED], adds, strict=False)]
    if len(who) > LISTED:
        rows.append((f"{len(who) - LISTED} more neighbours", adds[LISTED:].sum(axis=0)))
    total = shown.field.unary[node] + adds.sum(axis=0)
    title = f"{node_name(shown, node)}: {state_of(shown, shown.shown, node)}"
    if shown.shown.labels[node] != shown.truth[node]:
        title += f", truth {shown.states[shown.truth[node]]}"
    return Decision(title[0].upper() + title[1:], verdict(shown, node, total), tuple(rows), total)


def beside(shown: LabellingFrame, node: int, other: int) -> str:
    """A neighbour and its state."""
    name = node_name(shown, other)
    if shown.shape is not None:
        here, there = divmod(node, shown.shape[1]), divmod(other, shown.shape[1])
        name = SIDES.get((there[0] - here[0], there[1] - here[1]), name)
    return f"{name}: {state_of(shown, shown.shown, other)}"


def verdict(shown: LabellingFrame, node: int, total: Array) -> str:
    """Whether the sums agree with the state that is shown."""
    best, mine = int(np.argmax(total)), int(shown.shown.labels[node])
    if node in shown.shown.fractional:
        return "Fractional: the relaxed oracle leaves it open between states."
    if total[best] > total[mine] + 1e-9 * max(1.0, abs(total[best])):
        reason = {
            FILLS[1]: "the loss is added here",
            FILLS[2]: "the truth need not score best",
            FILLS[3]: "neighbours are not asked here",
        }.get(shown.fill, "this predictor missed it")
        gain = total[best] - total[mine]
        return f"{shown.states[best]} alone would score {gain:.3g} more beside these neighbours: {reason}."
    others = np.delete(total, mine)
    if not len(others) or np.isclose(total[mine], others.max(), rtol=0, atol=1e-12):
        return "The sums are equal."
    return f"{shown.states[mine]} has the largest sum, by {total[mine] - others.max():.3g}."


def shown_states(total: Array, most: int = 4) -> list[int]:
    """The states that a small table has room for: all, or those with the largest sums."""
    if len(total) <= most:
        return list(range(len(total)))
    return sorted(np.argsort(-total, kind="stable")[:most].tolist())


def counts(shown: LabellingFrame) -> dict[str, Ints]:
    """For every state, how many nodes truly have it, how many are shown with it, and how many rightly."""
    K, labels = len(shown.states), shown.shown.labels
    right = labels[labels == shown.truth]
    return {
        "truth": np.bincount(shown.truth, minlength=K).astype(np.int64),
        "shown": np.bincount(labels, minlength=K).astype(np.int64),
        "both": np.bincount(right, minlength=K).astype(np.int64),
    }


# tables -----------------------------------------------------------------------------------------------------


def table(shown: LabellingFrame) -> dict[str, Any]:
    """Per node truth, prediction, most tempting labelling and scores; of many nodes the wrong ones first."""
    rows = np.arange(len(shown))
    if len(rows) > MOST_ROWS:
        rows = np.argsort(shown.guess.labels == shown.truth, kind="stable")[:MOST_ROWS]
    first = noun(shown) + (", wrong ones first" if len(shown) > MOST_ROWS else "")
    columns: dict[str, Any] = {first: rows}
    if shown.shape is not None or shown.names:
        columns["where" if shown.shape is not None else "name"] = [node_name(shown, int(u)) for u in rows]
    columns["truth"] = [shown.states[s] for s in shown.truth[rows]]
    for name, given in (("prediction", shown.guess), ("most tempting", shown.rival)):
        columns[name] = [state_of(shown, given, int(u)) for u in rows]
    total = sums(shown)[rows]
    for s, state in enumerate(shown.states):
        columns[f"own score of {state}"] = [float(value) for value in shown.base[rows, s]]
    for s, state in enumerate(shown.states):
        columns[f"with neighbours: {state}"] = [float(value) for value in total[:, s]]
    return columns
