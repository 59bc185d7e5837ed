"""The oracle lab in words and tables: who is right, who is not and by how much, and a step's numbers."""

import math
from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.flows import Flow
from explorer.engine.vectors import Array
from explorer.labs.compare import OracleComparison, Reply
from explorer.labs.fields.comparison import open_nodes
from explorer.labs.fields.film import Arrows, FieldStep
from explorer.labs.fields.instance import FieldCase, describe
from explorer.views.kit.controls.answer_rows import answer_row, milliseconds, refusal_row, table_head
from explorer.wording import number, quantity

KINDS = {
    "exact": "proves that its labelling is the best",
    "under": "answers with a labelling that may not be the best",
    "over": "answers a relaxed question: its bound is never below the best score",
}
BEST = "★"

COLUMNS = {
    "oracle": "Press a name to see how the oracle works.",
    "kind": "; ".join(f"{kind}: {what}" for kind, what in KINDS.items()) + ".",
    "score": "The score of its labelling; a fractional answer is rounded first.",
    "gap": "How much the best known labelling scores more.",
    "better": "How many of all labellings score more, where they can be listed.",
    "bound": "No labelling scores more than this: what the oracle proves.",
    "open": "Nodes without a single state: ambiguous or fractional.",
    "ms": "Milliseconds for one call, the median of a few.",
}


def sentence(case: FieldCase, compared: OracleComparison[Fields]) -> str:
    """Who finds the best labelling, who misses it the most, and what is proven."""
    given = compared.with_answer
    if not given:
        return f"{describe(case)}. No oracle has answered."
    right = [one.title for one in given if compared.gap(one) == 0.0]
    worst = max(given, key=compared.gap)
    known = "The best score" if compared.proven else "The best known score"
    total = f" of {case.labellings:,} labellings" if compared.ranks else ""
    text = f"{describe(case)}. {known}{total} is {number(compared.top)}; {len(right)} of "
    reach = "reaches" if len(right) == 1 else "reach"
    text += f"{quantity(len(given), 'oracle')} {reach} it ({', '.join(right) or 'none'})."
    if compared.gap(worst) > 0.0:
        name = worst.title[:1].upper() + worst.title[1:]
        text += f" {name} misses it the most, by {number(compared.gap(worst))}."
    if not compared.proven and math.isfinite(compared.bound):
        missed = number(compared.bound - compared.top)
        text += f" No labelling scores more than {number(compared.bound)}, so at most {missed} is missed."
    return text


def row(compared: OracleComparison[Fields], reply: Reply) -> list[str]:
    """One reply as cells, in the order of COLUMNS."""
    gap, better = compared.gap(reply), compared.better(reply)
    return [
        f"{BEST} {reply.name}" if gap == 0.0 else reply.name,
        reply.kind,
        number(reply.score),
        number(gap) if gap else "0",
        "unknown" if better is None else f"{better:,}",
        number(reply.bound) if math.isfinite(reply.bound) else "none",
        str(len(open_nodes(reply.shares))),
        milliseconds(reply.seconds),
    ]


def html(compared: OracleComparison[Fields], shown: str) -> str:
    """The replies as an HTML table, refusals last."""
    rows = [_answer(compared, one, one.title == shown) for one in compared.with_answer]
    rows += [_refusal(one, one.title == shown) for one in compared.replies if one.refused]
    best = "has the best score there is" if compared.proven else "has the best known score"
    caption = f"<caption>{BEST} {best}. Scores are maximised.</caption>"
    return f"<table>{caption}{table_head(COLUMNS)}<tbody>{''.join(rows)}</tbody></table>"


def _answer(compared: OracleComparison[Fields], reply: Reply, shown: bool) -> str:
    name, *cells = row(compared, reply)
    return answer_row(reply.title, name, shown, cells, *(["best"] if compared.gap(reply) == 0.0 else []))


def _refusal(reply: Reply, shown: bool) -> str:
    why = f"{'waits' if reply.waits else 'cannot'}: {reply.refused}."
    return refusal_row(reply.title, reply.name, shown, why, len(COLUMNS))


def table(compared: OracleComparison[Fields]) -> dict[str, list[Any]]:
    """The replies as columns, with their labellings; refusals are not in it."""
    rows = [row(compared, one) for one in compared.with_answer]
    out: dict[str, list[Any]] = {name: [cells[j] for cells in rows] for j, name in enumerate(COLUMNS)}
    out["labelling"] = [digits(one.labels) for one in compared.with_answer]
    out["differs from the best at"] = [
        ", ".join(map(str, compared.wrong(one)[:12])) or "-" for one in compared.with_answer
    ]
    return out


def digits(labels: Any, most: int = 40) -> str:
    """A labelling as digits, shortened."""
    return "".join(map(str, labels[:most])) + ("…" if len(labels) > most else "")


def step_table(step: FieldStep, picked: int | None) -> dict[str, list[Any]]:
    """The numbers behind a step: messages or arcs of the picked node, or all nodes."""
    if step.arrows is not None and picked is not None:
        return _messages(step.arrows, picked)
    if step.flow is not None and picked is not None:
        return _arcs(step.flow, picked)
    return _nodes(step)


def _nodes(step: FieldStep) -> dict[str, list[Any]]:
    m = len(step.labels)
    out: dict[str, list[Any]] = {"node": list(range(m)), "state": step.labels.tolist()}
    changed = set(step.changed.tolist())
    out["changed"] = ["yes" if u in changed else "" for u in range(m)]
    columns: dict[str, Array | None] = {step.called: step.values, "share": step.shares}
    for name, values in columns.items():
        if values is not None:
            out |= {f"{name} of {s}": values[:, s].tolist() for s in range(values.shape[1])}
    if step.flow is not None:
        out["tied to"] = ["source" if t > 0 else "sink" for t in step.flow.terminal]
        out["capacity"] = np.abs(step.flow.terminal).tolist()
        out["left"] = np.abs(step.flow.terminal_left).tolist()
    if step.source is not None:
        out["side"] = ["source" if one else "sink" for one in step.source]
    return out


def _messages(sent: Arrows, picked: int) -> dict[str, list[Any]]:
    mine = np.flatnonzero((sent.tail == picked) | (sent.head == picked))
    columns = {"from": sent.tail, "to": sent.head, "in favour of": sent.state, "by": sent.lead}
    return {name: values[mine].tolist() for name, values in columns.items()}


def _arcs(flow: Flow, picked: int) -> dict[str, list[Any]]:
    ends, mine = flow.ends, np.flatnonzero((flow.ends == picked).any(axis=1))
    left = {"left there": flow.left[:, 0], "left back": flow.left[:, 1]}
    columns = {"first": ends[:, 0], "second": ends[:, 1], "capacity": flow.capacity} | left
    return {name: values[mine].tolist() for name, values in columns.items()}
