"""The clustering lab in words and tables: who answers what, and whether under <= exact <= over holds."""

import math
from html import escape
from typing import Any

from explorer.engine.structures.clusterings.losses import CLUSTER_LOSSES
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.comparison import CORRELATION, FAMILIES
from explorer.labs.clusterings.film import cluster_words, fractional_pairs
from explorer.labs.clusterings.instance import ClusterCase, describe
from explorer.labs.clusterings.shift import ShiftRow
from explorer.labs.compare import OracleComparison, Reply
from explorer.views.kit.controls.answer_rows import answer_row, milliseconds, refusal_row, table_head
from explorer.wording import number, quantity, with_sign

KINDS = {
    "exact": "proves that its clustering is the best",
    "under": "answers with a clustering that may not be the best",
    "over": "answers a relaxed question, whose value is never below the best",
}
COLUMNS = {
    "clusterer": "Press a name to see how it works.",
    "kind": "; ".join(f"{kind}: {what}" for kind, what in KINDS.items()) + ".",
    "value": "The score, or H if the most tempting clustering is asked for; of relaxed answers their own.",
    "loss": "The loss of the answer against the truth, in per cent.",
    "ms": "Milliseconds for one call, the median of a few.",
    "clusters": "The clusters found; a relaxed answer may not be a clustering.",
}


def question_words(case: ClusterCase) -> str:
    """What is asked, in words."""
    choice = case.choice
    if choice.asks == "predict":
        return "Asked for the best clustering"
    return f"Asked for the most tempting clustering, {choice.loss} loss, {choice.scaling} scaling"


def answer_words(reply: Reply, family: str, names: tuple[str, ...]) -> str:
    """An answer's clusters in words."""
    if reply.labels is not None:
        return cluster_words(reply.labels, names) + proof_words(reply)
    if reply.shares is None:
        return ""
    if family != CORRELATION:
        return "relaxed: eigenvectors"
    return f"relaxed: {quantity(fractional_pairs(reply.shares), 'fractional pair')}"


def proof_words(reply: Reply) -> str:
    """What a proof that was cut short leaves open; empty for other answers."""
    if math.isnan(reply.short):
        return ""
    share = f", {reply.short / abs(reply.value):.1%}" if reply.value else ""
    return f" (cut short, not proved: the best is at most {number(reply.short)}{share} higher)"


def check(compared: OracleComparison[Question]) -> str:
    """Whether under <= exact <= over holds, with the numbers."""
    what = compared.what
    if not compared.with_answer:
        return "Nobody answered."
    if not compared.proven:
        above = f", at most {number(compared.bound)}" if math.isfinite(compared.bound) else ""
        return f"No clusterer proves the best {what}: it is at least {number(compared.top)}{above}."
    if broken := compared.wrong_side():
        return f"under ≤ exact ≤ over is broken by {', '.join(broken)}: a fault, please report it."
    unders = [one.value for one in compared.with_answer if one.kind == "under"]
    overs = [one.value for one in compared.with_answer if one.kind == "over"]
    low = f"under, {number(min(unders))}{_to(unders)}, ≤ " if unders else ""
    high = f" ≤ over, {number(min(overs))}{_to(overs)}" if overs else ""
    return f"Holds: {low}best {what}, {number(compared.top)},{high}.".replace(",.", ".")


def _to(values: list[float]) -> str:
    return (
        f" to {number(max(values))}" if max(values) - min(values) > 1e-7 * max(1.0, abs(max(values))) else ""
    )


def sentence(case: ClusterCase, compared: dict[str, OracleComparison[Question]]) -> str:
    """The similarity, the question, and who finds the best clustering."""
    text = f"{describe(case)}. {question_words(case)}."
    for family, one in compared.items():
        hard = [reply for reply in one.with_answer if reply.labels is not None and reply.kind != "over"]
        best = [reply for reply in hard if one.gap(reply) == 0.0]
        name = "Correlation" if family == CORRELATION else f"{family}, k = {case.choice.groups}"
        if best:
            known = "best" if one.proven else "best known"
            text += f" {name}: {known} {one.what} {number(one.top)} ({cluster_words(one.best, case.names)}),"
            text += f" found by {len(best)} of {len(hard)}."
    return text


def row(reply: Reply, family: str, names: tuple[str, ...]) -> list[str]:
    """One reply as cells, in the order of COLUMNS."""
    loss = "-" if math.isnan(reply.loss) else f"{reply.loss:.4g}"
    words = answer_words(reply, family, names)
    return [reply.name, reply.kind, number(reply.value), loss, milliseconds(reply.seconds), words]


def html(compared: dict[str, OracleComparison[Question]], names: tuple[str, ...], k: int, shown: str) -> str:
    """The replies as an HTML table, one part for each question; every text is escaped."""
    bodies = []
    for family, one in compared.items():
        k_words = "any number of clusters" if family == CORRELATION else quantity(k, "cluster")
        group = f"<b>{escape(FAMILIES[family])}</b>, {k_words}. {escape(check(one))}"
        head = f"<tr class='group'><th colspan='{len(COLUMNS)}' scope='rowgroup'>{group}</th></tr>"
        rows = "".join(_row(reply, one, family, names, shown) for reply in one.replies)
        bodies.append(f"<tbody>{head}{rows}</tbody>")
    note = "★ finds the best clustering; framed: exact. Values of the two questions cannot be compared."
    return f"<table><caption>{note}</caption>{table_head(COLUMNS)}{''.join(bodies)}</table>"


def _row(
    reply: Reply, compared: OracleComparison[Question], family: str, names: tuple[str, ...], shown: str
) -> str:
    act = f"{family}/{reply.title}"
    if reply.refused:
        return refusal_row(act, reply.name, act == shown, why_not(reply), len(COLUMNS))
    name, *cells = row(reply, family, names)
    best = "★ " if compared.gap(reply) == 0.0 else ""
    return answer_row(act, best + name, act == shown, cells, *(["exact"] if reply.kind == "exact" else []))


def why_not(reply: Reply) -> str:
    """A refusal beside its clusterer's name."""
    bare = reply.refused.removeprefix(reply.title).strip()
    return f"{bare}." if bare.startswith("cannot") else f"cannot: {bare}."


def table(compared: dict[str, OracleComparison[Question]], names: tuple[str, ...]) -> dict[str, list[Any]]:
    """The replies as columns; refusals are not in it."""
    rows = [
        [family, *row(reply, family, names)] for family, one in compared.items() for reply in one.with_answer
    ]
    return {name: [cells[j] for cells in rows] for j, name in enumerate(["question", *COLUMNS])}


def loss_rows(truth: Ints, labels: Ints) -> list[tuple[str, str, str]]:
    """What every loss says of a clustering: its name, its number, and from what it comes about."""
    losses = [kind() for kind in CLUSTER_LOSSES]
    return [
        (f"{one.title} loss", f"{one.value(truth, labels):.4g}", one.details(truth, labels)) for one in losses
    ]


def loss_sentence(rows: list[tuple[str, str, str]]) -> str:
    """Two clusterings in one sentence."""
    text = "; ".join(f"{name} {value} ({details})" for name, value, details in rows)
    return f"{text[:1].upper()}{text[1:]}."


def shift_sentence(rows: list[ShiftRow], k: int, s: float) -> str:
    """Whether every value moved by k s."""
    answered = [one for one in rows if not one.refused]
    kept = [one.title for one in answered if one.same and abs(one.after - one.before - k * s) < 1e-6]
    other = [one.title for one in answered if one.title not in kept]
    text = (
        f"K + s I adds k s = {k} × {s:g} = {with_sign(k * s)} to the k-means value of every clustering into "
    )
    text += quantity(k, "cluster")
    text += f": {', '.join(kept)} answer the same, {with_sign(k * s)}." if kept else "."
    return text + (f" Another answer from {', '.join(other)}." if other else "")
