"""The oracle lab in words and tables: who is right, who is not and by how much, and what a step shows in
numbers.
"""

import math
from html import escape
from typing import Any

import numpy as np

from explorer.engine.vectors import Array
from explorer.labs.fields.comparison import Answer, Comparison
from explorer.labs.fields.film import Film, Messages, Network, Step
from explorer.labs.fields.instance import described
from explorer.wording import counted, number

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


def sentence(compared: Comparison) -> str:
    """Who finds the best labelling, who misses it the most, and what is proven."""
    given = compared.given
    if not given:
        return f"{described(compared.case)}. No oracle has answered."
    right = [one.title for one in given if compared.gap(one) == 0.0]
    worst = max(given, key=compared.gap)
    known = "The best score" if compared.proven else "The best known score"
    total = f" of {compared.case.labellings:,} labellings" if compared.ranks else ""
    text = f"{described(compared.case)}. {known}{total} is {number(compared.top)}; {len(right)} of "
    text += (
        f"{counted(len(given), 'oracle')} reach{'es' if len(right) == 1 else ''} it "
        f"({', '.join(right) or 'none'})."
    )
    if compared.gap(worst) > 0.0:
        text += (
            f" {worst.title[:1].upper() + worst.title[1:]} misses it the most, by "
            f"{number(compared.gap(worst))}."
        )
    if not compared.proven and math.isfinite(compared.bound):
        missed = number(compared.bound - compared.top)
        text += f" No labelling scores more than {number(compared.bound)}, so at most {missed} is missed."
    return text


def row(compared: Comparison, answer: Answer) -> list[str]:
    """One answer as cells, in the order of COLUMNS."""
    gap, better = compared.gap(answer), compared.better(answer)
    mark = f"{BEST} " if gap == 0.0 else ""
    return [
        f"{mark}{answer.name}",
        answer.kind,
        number(answer.score),
        number(gap) if gap else "0",
        "unknown" if better is None else f"{better:,}",
        number(answer.bound) if math.isfinite(answer.bound) else "none",
        str(len(answer.fractional)),
        f"{1e3 * answer.seconds:.2g}" if answer.seconds < 0.1 else f"{1e3 * answer.seconds:.0f}",
    ]


def html(compared: Comparison, shown: str) -> str:
    """The answers as an HTML table whose names are buttons; every text is escaped."""
    head = "".join(
        f"<th scope='col' title='{escape(why)}'>{escape(name)}</th>" for name, why in COLUMNS.items()
    )
    rows = [_answered(compared, one, one.title == shown) for one in compared.given]
    rows += [_refused(one, one.title == shown) for one in compared.answers if one.labels is None]
    best = "has the best score there is" if compared.proven else "has the best known score"
    return (
        f"<table><caption>{BEST} {best}. Scores are maximised.</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _button(answer: Answer, shown: bool, text: str) -> str:
    return (
        f"<button type='button' data-act='{escape(answer.title, quote=True)}' "
        f"aria-pressed='{str(shown).lower()}'>"
        f"{escape(text)}</button>"
    )


def _answered(compared: Comparison, answer: Answer, shown: bool) -> str:
    name, *cells = row(compared, answer)
    classes = " ".join(["shown"] * shown + ["best"] * (compared.gap(answer) == 0.0))
    data = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr class='{classes}'><th scope='row'>{_button(answer, shown, name)}</th>{data}</tr>"


def _refused(answer: Answer, shown: bool) -> str:
    why = f"{'waits' if answer.waits else 'cannot'}: {answer.refused}."
    return (
        f"<tr class='{'shown ' if shown else ''}refused'><th "
        f"scope='row'>{_button(answer, shown, answer.name)}</th>"
        f"<td colspan='{len(COLUMNS) - 1}'>{escape(why)}</td></tr>"
    )


def table(compared: Comparison) -> dict[str, list[Any]]:
    """The answers as columns, with their labellings; refusals are not in it."""
    rows = [row(compared, one) for one in compared.given]
    out: dict[str, list[Any]] = {name: [cells[j] for cells in rows] for j, name in enumerate(COLUMNS)}
    out["labelling"] = [spelled(one.labels) for one in compared.given]
    out["differs from the best at"] = [
        ", ".join(map(str, compared.wrong(one)[:12])) or "-" for one in compared.given
    ]
    return out


def spelled(labels: Any, most: int = 40) -> str:
    """A labelling as digits, shortened."""
    return "".join(map(str, labels[:most])) + ("…" if len(labels) > most else "")


def step_sentence(film: Film, at: int) -> str:
    """Where the film stands and what happens; at its end also what is to be learnt."""
    step, last = film.steps[at], at == len(film) - 1
    count = f"Step {at} of {len(film) - 1}. " if len(film) > 1 else ""
    return f"{count}{step.says}{' ' + film.verdict if last and film.verdict else ''}"


def step_table(step: Step, ends: Any, picked: int | None) -> dict[str, list[Any]]:
    """The numbers behind a step: messages or arcs of the picked node (of all nodes if none is), or the
    nodes.
    """
    if step.messages is not None and picked is not None:
        return _messages(step.messages, picked)
    if step.network is not None and picked is not None:
        return _arcs(step.network, ends, picked)
    return _nodes(step)


def _nodes(step: Step) -> dict[str, list[Any]]:
    m = len(step.labels)
    out: dict[str, list[Any]] = {"node": list(range(m)), "state": step.labels.tolist()}
    changed = set(step.changed.tolist())
    out["changed"] = ["yes" if u in changed else "" for u in range(m)]
    columns: dict[str, Array | None] = {step.called: step.values, "share": step.shares}
    for name, values in columns.items():
        if values is not None:
            out |= {f"{name} of {s}": values[:, s].tolist() for s in range(values.shape[1])}
    if step.network is not None:
        out["tied to"] = ["source" if t > 0 else "sink" for t in step.network.terminal]
        out["capacity"] = np.abs(step.network.terminal).tolist()
        out["left"] = np.abs(step.network.terminal_left).tolist()
    if step.source is not None:
        out["side"] = ["source" if one else "sink" for one in step.source]
    return out


def _messages(sent: Messages, picked: int) -> dict[str, list[Any]]:
    mine = np.flatnonzero((sent.tail == picked) | (sent.head == picked))
    return {
        "from": sent.tail[mine].tolist(),
        "to": sent.head[mine].tolist(),
        "in favour of": sent.state[mine].tolist(),
        "by": sent.lead[mine].tolist(),
    }


def _arcs(network: Network, ends: Any, picked: int) -> dict[str, list[Any]]:
    mine = np.flatnonzero((ends == picked).any(axis=1))
    return {
        "first": ends[mine, 0].tolist(),
        "second": ends[mine, 1].tolist(),
        "capacity": network.capacity[mine].tolist(),
        "left there": network.left[mine, 0].tolist(),
        "left back": network.left[mine, 1].tolist(),
    }
