"""The clustering lab in words and tables: who answers what, whether under <= exact <= over holds, and what a
step says.
"""

import math
from html import escape
from typing import Any

from explorer.labs.clusterings.comparison import CORRELATION, FAMILIES, Answer, Comparison
from explorer.labs.clusterings.film import Film, signed, told
from explorer.labs.clusterings.instance import Instance, described
from explorer.labs.clusterings.losses import Measures, Shifted
from explorer.wording import counted, number

KINDS = {
    "exact": "proves that its clustering is the best",
    "under": "answers with a clustering that may not be the best",
    "over": "answers a relaxed question, whose value is never below the best",
}
COLUMNS = {
    "clusterer": "Press a name to see how it works.",
    "kind": "; ".join(f"{kind}: {what}" for kind, what in KINDS.items()) + ".",
    "value": "The score, or H if the most violated clustering is asked for; of relaxed answers their own.",
    "loss": "The loss of the answer against the truth, in per cent.",
    "ms": "Milliseconds for one call, the median of a few.",
    "clusters": "The clusters found; a relaxed answer may not be a clustering.",
}


def asked_words(case: Instance) -> str:
    """What is asked, in words."""
    choice = case.choice
    if choice.asks == "predict":
        return "Asked for the best clustering"
    return f"Asked for the most violated clustering, {choice.loss} loss, {choice.scaling} scaling"


def found(answer: Answer, names: tuple[str, ...]) -> str:
    """An answer's clusters in words."""
    if answer.labels is not None:
        return told(answer.labels, names) + unproved(answer)
    if answer.shares is None:
        return ""
    if answer.family != CORRELATION:
        return "relaxed: eigenvectors"
    pairs = sum(1e-6 < answer.shares[i, j] < 1 - 1e-6 for i in range(len(names)) for j in range(i))
    return f"relaxed: {counted(pairs, 'fractional pair')}"


def unproved(answer: Answer) -> str:
    """What a proof that was cut short leaves open; empty for other answers."""
    if math.isnan(answer.short):
        return ""
    share = f", {answer.short / abs(answer.value):.1%}" if answer.value else ""
    return f" (cut short, not proved: the best is at most {number(answer.short)}{share} higher)"


def check(compared: Comparison) -> str:
    """Whether under <= exact <= over holds, with the numbers."""
    what = "H" if compared.question.asks_loss else "score"
    if not compared.given:
        return "Nobody answered."
    if not compared.proven:
        bound = min((one.bound for one in compared.given), default=math.inf)
        above = f", at most {number(bound)}" if math.isfinite(bound) else ""
        return f"No clusterer proves the best {what}: it is at least {number(compared.top)}{above}."
    if broken := compared.broken():
        return f"under ≤ exact ≤ over is broken by {', '.join(broken)}: a fault, please report it."
    unders = [one.value for one in compared.given if one.kind == "under"]
    overs = [one.value for one in compared.given if one.kind == "over"]
    low = f"under, {number(min(unders))}{_to(unders)}, ≤ " if unders else ""
    high = f" ≤ over, {number(min(overs))}{_to(overs)}" if overs else ""
    return f"Holds: {low}best {what}, {number(compared.top)},{high}.".replace(",.", ".")


def _to(values: list[float]) -> str:
    return (
        f" to {number(max(values))}" if max(values) - min(values) > 1e-7 * max(1.0, abs(max(values))) else ""
    )


def sentence(case: Instance, compared: dict[str, Comparison]) -> str:
    """The instance, the question, and who finds the best clustering."""
    text = f"{described(case)}. {asked_words(case)}."
    for family, one in compared.items():
        what = "H" if one.question.asks_loss else "score"
        hard = [answer for answer in one.given if answer.labels is not None and answer.kind != "over"]
        best = [a.title for a in hard if one.question.value(a.labels) >= one.top - one.slack]
        name = "Correlation" if family == CORRELATION else f"{family}, k = {case.choice.groups}"
        if best and one.best is not None:
            known = "best" if one.proven else "best known"
            text += f" {name}: {known} {what} {number(one.top)} ({told(one.best, case.names)}),"
            text += f" found by {len(best)} of {len(hard)}."
    return text


def milliseconds(seconds: float) -> str:
    """A time."""
    return f"{1e3 * seconds:.2g}" if seconds < 0.1 else f"{1e3 * seconds:.0f}"


def row(answer: Answer, names: tuple[str, ...]) -> list[str]:
    """One answer as cells, in the order of COLUMNS."""
    loss = "-" if math.isnan(answer.loss) else f"{answer.loss:.4g}"
    return [
        answer.name,
        answer.kind,
        number(answer.value),
        loss,
        milliseconds(answer.seconds),
        found(answer, names),
    ]


def html(compared: dict[str, Comparison], names: tuple[str, ...], k: int, shown: str) -> str:
    """The answers as an HTML table whose names are buttons, one part for each question; every text is
    escaped.
    """
    head = "".join(
        f"<th scope='col' title='{escape(why)}'>{escape(name)}</th>" for name, why in COLUMNS.items()
    )
    bodies = []
    for family, one in compared.items():
        k_words = "any number of clusters" if family == CORRELATION else f"{counted(k, 'cluster')}"
        group = f"<b>{escape(FAMILIES[family])}</b>, {k_words}. {escape(check(one))}"
        rows = "".join(_row(answer, one, names, shown) for answer in one.answers)
        bodies.append(
            f"<tbody><tr class='group'><th colspan='{len(COLUMNS)}' "
            f"scope='rowgroup'>{group}</th></tr>{rows}</tbody>"
        )
    note = "★ finds the best clustering; framed: exact. Values of the two questions cannot be compared."
    return f"<table><caption>{note}</caption><thead><tr>{head}</tr></thead>{''.join(bodies)}</table>"


def _row(answer: Answer, compared: Comparison, names: tuple[str, ...], shown: str) -> str:
    here = answer.key == shown
    best = not answer.refused and answer.labels is not None
    best = best and compared.question.value(answer.labels) >= compared.top - compared.slack
    classes = " ".join(
        ["shown"] * here
        + ["refused"] * bool(answer.refused)
        + ["exact"] * (answer.kind == "exact" and not answer.refused)
    )
    text = f"{'★ ' if best else ''}{answer.name}"
    button = (
        f"<button type='button' data-act='{escape(answer.key, quote=True)}' "
        f"aria-pressed='{str(here).lower()}'>"
        f"{escape(text)}</button>"
    )
    if answer.refused:
        cells = f"<td colspan='{len(COLUMNS) - 1}'>{escape(why_not(answer))}</td>"
    else:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row(answer, names)[1:])
    return f"<tr class='{classes}'><th scope='row'>{button}</th>{cells}</tr>"


def why_not(answer: Answer) -> str:
    """A refusal beside its clusterer's name."""
    bare = answer.refused.removeprefix(answer.title).strip()
    return f"{bare}." if bare.startswith("cannot") else f"cannot: {bare}."


def table(compared: dict[str, Comparison], names: tuple[str, ...]) -> dict[str, list[Any]]:
    """The answers as columns; refusals are not in it."""
    rows = [[family, *row(answer, names)] for family, one in compared.items() for answer in one.given]
    return {name: [cells[j] for cells in rows] for j, name in enumerate(["question", *COLUMNS])}


def step_sentence(film: Film, at: int) -> str:
    """Where the film stands and what happens; at its end also what is to be learnt."""
    step, last = film.steps[at], at == len(film) - 1
    count = f"Step {at} of {len(film) - 1}. " if len(film) > 1 else ""
    title = f"{film.title[:1].upper()}{film.title[1:]}. "
    return f"{title}{count}{step.says}{' ' + film.verdict if last and film.verdict else ''}"


def measured(found: Measures) -> str:
    """Two clusterings in one sentence."""
    return (
        f"Pairwise loss {found.pairwise:.4g} ({found.wrong} of {found.pairs} pairs differ, Rand index "
        f"{found.rand:.4g}); "
        f"MITRE loss {found.mitre:.4g} (R {found.recall:.4g}, P {found.precision:.4g}); "
        f"normalised loss {found.normalised:.4g} ({found.true_clusters} true clusters, "
        f"{found.other_clusters} here)."
    )


def shift_sentence(rows: list[Shifted], k: int, s: float) -> str:
    """Whether every value moved by k s."""
    answered = [one for one in rows if not one.refused]
    kept = [one.title for one in answered if one.same and abs(one.after - one.before - k * s) < 1e-6]
    other = [one.title for one in answered if one.title not in kept]
    text = f"K + s I adds k s = {k} × {s:g} = {signed(k * s)} to the k-means value of every clustering into "
    text += counted(k, "cluster")
    text += f": {', '.join(kept)} answer the same, {signed(k * s)}." if kept else "."
    return text + (f" Another answer from {', '.join(other)}." if other else "")
