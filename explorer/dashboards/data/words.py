"""What the data page says, as HTML; everything that comes from a file is escaped here."""

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

from explorer.estimators.typed_sentences import TypedSentence
from explorer.session.uploads.errands import FileLook, Results
from explorer.wording import quantity

REGION = "<div class='scroll' tabindex='0' role='region' aria-label='{}'>"
LINE = re.compile(r", line (\d+)")
KINDS = {
    "columns": ("Words with tags, in columns", "sentence", "word"),
    "treebank": ("Sentences with trees", "sentence", "word"),
    "svmlight": ("Sparse rows", "row", "label"),
    "table": ("A table", "example", "row"),
    "graphml": ("Labelled graphs", "graph", "node"),
    "pair_table": ("Sets of items in clusters", "set", "item"),
    "hmm": ("Sequences of sparse rows", "sequence", "position"),
    "edge_list": ("A labelled graph", "graph", "node"),
    "arrays": ("Arrays of numbers", "example", "label"),
    "picture": ("A labelled picture", "tile", "pixel"),
}
"""For each format: what it is, what an example is, and of what it consists."""


def title(name: str, form: str, checksum: str, why: str) -> str:
    """The file and what it is."""
    told = f" <span class='muted small'>Told by its content: {escape(why)}.</span>" if why else ""
    kind = KINDS.get(form, (form, "", ""))[0]
    short = escape(checksum[:12])
    return (
        f"<h2>{escape(name)}</h2><p>{escape(kind)}.{told} "
        f"<span class='muted small'>SHA-256 {short}…</span></p>"
    )


def facts(look: FileLook, form: str) -> str:
    """How much of everything there is."""
    _, one, part = KINDS.get(form, ("", "example", "part"))
    told = {f"{one}s": look.examples}
    if look.parts != look.examples:
        told[f"{part}s"] = look.parts
    more = {"sentences to test on": look.tested, "labels": look.kinds, "weights to learn": look.weights}
    told |= {name.replace("sentence", one): count for name, count in more.items() if count}
    cells = "".join(f"<div><dt>{escape(name)}</dt><dd>{n:,}</dd></div>" for name, n in told.items())
    return f"<dl class='facts'>{cells}</dl>" + "".join(
        f"<p class='small'>{escape(note[:1].upper() + note[1:])}.</p>" for note in look.notes
    )


def bars(labels: Sequence[tuple[str, int]]) -> str:
    """How often each label occurs."""
    if not labels:
        return ""
    most = max(count for _, count in labels)
    rows = "".join(
        f"<span class='name'>{escape(name)}</span><span class='bar' style='width:{100 * count / most:.1f}%'>"
        f"</span><span class='count'>{count:,}</span>"
        for name, count in labels
    )
    return f"<div class='bars'>{rows}</div>"


def sentences(shown: Iterable[Sequence[tuple[str, str]]]) -> str:
    """Words with their tags below them."""
    return "".join(
        "<div class='sentence'>"
        + "".join(
            f"<span class='word'><span>{escape(word)}</span>"
            f"<small{' class=out' if tag in ('O', '_') else ''}>{escape(tag)}</small></span>"
            for word, tag in one
        )
        + "</div>"
        for one in shown
        if one
    )


def lines(found: Sequence[str], first: int = 1, bad: int = 0) -> str:
    """Lines of a file with their numbers, the first of which is given; the bad one is marked."""
    if not found:
        return ""
    rows = "\n".join(
        f"<span{' class=bad' if k == bad else ''}><span class='n'>{k}</span>{escape(line)}</span>"
        for k, line in enumerate(found, start=first)
    )
    return f"{REGION.format('Lines of the file')}<pre>{rows}</pre></div>"


def table(found: Sequence[str], label: str, separator: str) -> str:
    """The first lines of a table as one."""
    rows = [[cell.strip(' "') for cell in line.split(separator)] for line in found]
    names = rows[0]
    at = names.index(label) if label in names else len(names) - 1

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=label' if k == at else ''}>{escape(cell)}</{tag}>" for k, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows[1:])
    head = f"<tr>{cells(names, 'th')}</tr>"
    return f"{REGION.format('The first rows')}<table><thead>{head}</thead><tbody>{body}</tbody></table></div>"


def refusal(message: str) -> str:
    """What is wrong."""
    sentence = message[:1].upper() + message[1:]
    return f"<div class='told' role='alert'>{escape(sentence.rstrip('.'))}.</div>"


def bad_line(message: str) -> int:
    """The number of the line that a refusal names; 0 if it names none."""
    found = LINE.search(message)
    return int(found[1]) if found else 0


def figures(outcome: Results) -> str:
    """How good the model is."""
    if outcome.without:
        return f"<p class='small'>There is no model of this run: {escape(outcome.without)}.</p>"
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{number(value)}</dd></div>" for name, value in outcome.figures
    )
    where = f"<p class='muted small'>Measured on {escape(outcome.measured_on)}.</p>" if cells else ""
    return f"<dl class='facts'>{cells}</dl>{where}"


def number(value: float) -> str:
    """A figure: a count, or a share in percent."""
    if math.isnan(value):
        return "unknown"
    return f"{value:,.0f}" if float(value).is_integer() and value > 1 else f"{100 * value:.1f}%"


def tagging(found: TypedSentence) -> str:
    """A typed sentence with its tags, how sure each is, and what would change it."""
    words = sentences([[(one.word, one.tag) for one in found.words]])
    rows = "".join(
        f"<tr><td>{escape(one.word)}</td><td class='label'>{escape(one.tag)}</td><td>{one.margin:.3f} above "
        f"{escape(one.rival)}</td><td>{changes(one.reasons)}</td></tr>"
        for one in found.words
    )
    second = sum(a.tag != b for a, b in zip(found.words, found.second, strict=False))
    differ = (
        f"; the next best labelling has {found.second_score:.3f} and differs at {quantity(second, 'word')}"
    )
    return (
        f"{words}<p class='small'>The score of these tags is {found.score:.3f}"
        f"{differ if found.second else ''}.</p>"
        f"{REGION.format('Every word')}<table><thead><tr><th>word</th><th>tag</th><th>score</th>"
        "<th>what would change it</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def changes(reasons: Sequence[tuple[str, str]]) -> str:
    """What gives a word another tag."""
    told = [f"{escape(change)}: {escape(tag)}" for change, tag in reasons[:4]]
    return "; ".join(told) or "<span class='muted'>no single change that was tried</span>"


__all__ = [
    "KINDS", "bad_line", "bars", "facts", "figures", "lines", "refusal", "sentences", "table", "tagging",
    "title",
]  # fmt: skip
