"""Records of many runs as one table: medians, ratios to the first contestant, and the bars.

Ratios are medians of ratios within a round, since runs of one round had the machine in about the same state.
A dual is a contestant's claim: it is held against the best objective that anybody reached, and dropped if it
is larger.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from explorer.bench.peers import NOT_HERE
from explorer.bench.work import Record, Verdict

COLUMNS = {
    "cpu": ("CPU s", "{:.3f}"),
    "wall": ("wall s", "{:.3f}"),
    "cpu_ratio": ("CPU / ours", "{:.2f}"),
    "wall_ratio": ("wall / ours", "{:.2f}"),
    "gap": ("gap", "{:.2%}"),
    "primal": ("objective", "{:.5g}"),
    "test_error": ("test error", "{:.2%}"),
    "f1": ("F1", "{:.2%}"),
    "memory": ("peak MB", "{:.0f}"),
}
ROUNDING = 1e-9

Summary = Mapping[str, Record]


def summarise(records: Mapping[str, Sequence[Record]]) -> dict[str, Record]:
    """For each contestant its runs, the medians of their figures and its ratios to the first."""
    runs = {name: [r for r in found if "skipped" not in r] for name, found in records.items()}
    best = min((r["primal"] for found in runs.values() for r in found if r.get("primal")), default=math.inf)
    first = next(iter(runs.values()), [])
    summary = {}
    for name, found in runs.items():
        judged = [with_gap(r, best) for r in found]
        row: Record = {
            "runs": judged,
            "skipped": next((r["skipped"] for r in records[name] if "skipped" in r), None),
        }
        row |= {key: middle({"runs": judged}, key) for key in COLUMNS if not key.endswith("ratio")}
        row |= {f"{key}_ratio": ratio_of_pairs(judged, first, key) for key in ("cpu", "wall")}
        row["facts"] = facts(judged)
        summary[name] = row
    return summary


def with_gap(record: Record, best: float) -> Record:
    """The record with its gap: from its dual if that is a lower bound at all."""
    dual, primal = record.get("dual"), record.get("primal")
    if dual is None or primal is None:
        return record
    if dual > best * (1.0 + ROUNDING):
        return record | {
            "gap": None,
            "false_claim": f"dual {dual:.8g} above the objective {best:.8g} that was reached",
        }
    return record | {"gap": (primal - dual) / primal}


def middle(row: Record, key: str) -> Any:
    """The median of one figure over the runs that have it."""
    values = [r[key] for r in row["runs"] if r.get(key) is not None]
    return statistics.median(values) if values else None


def facts(runs: Sequence[Record]) -> Record:
    """Medians of what contestants report beside the common figures; what is not a number is taken from the
    first run.
    """
    found: Record = {}
    for key in dict.fromkeys(key for r in runs for key in r.get("facts", {})):
        values = [r["facts"][key] for r in runs if r["facts"].get(key) is not None]
        numbers = all(isinstance(value, int | float) for value in values)
        found[key] = (statistics.median(values) if numbers else values[0]) if values else None
    return found


def ratio_of_pairs(runs: Sequence[Record], others: Sequence[Record], key: str) -> float | None:
    """The median over the rounds of runs / others."""
    there = {r["round"]: r[key] for r in others}
    found = [r[key] / there[r["round"]] for r in runs if there.get(r["round"])]
    return statistics.median(found) if found else None


def ratio(summary: Summary, slower: str, faster: str, key: str = "cpu") -> float | None:
    """How many times as long `slower` took, or None when one of them has not run."""
    if slower not in summary or faster not in summary:
        return None
    return ratio_of_pairs(summary[slower]["runs"], summary[faster]["runs"], key)


def markdown(name: str, about: str, summary: Summary, verdicts: Sequence[Verdict]) -> str:
    """One work as Markdown."""
    used = [key for key in COLUMNS if any(row.get(key) is not None for row in summary.values())]
    lines = [f"## {name}", "", about + ".", ""]
    lines += row_of(["contestant", "runs", *(COLUMNS[key][0] for key in used)])
    lines += row_of(["---"] * (len(used) + 2))
    for who, row in summary.items():
        lines += row_of([who, str(len(row["runs"])), *(cell(row, key) for key in used)])
    lines += [line for who, row in summary.items() for line in remarks(who, row)]
    return "\n".join([*lines, "", *(sentence(verdict) for verdict in verdicts), ""])


def not_here() -> str:
    """What could not be measured."""
    return "Not installable here: " + ", ".join(f"{name} ({why})" for name, why in NOT_HERE.items()) + ".\n"


def row_of(cells: Sequence[str]) -> list[str]:
    """One line of a Markdown table."""
    return ["| " + " | ".join(cells) + " |"]


def cell(row: Record, key: str) -> str:
    """One figure."""
    return "" if row.get(key) is None else COLUMNS[key][1].format(row[key])


def remarks(who: str, row: Record) -> list[str]:
    """What does not fit into the table: why a contestant is missing, false claims, and its own facts."""
    found = [f"\n{who}: {row['skipped']}"] if row["skipped"] else []
    found += sorted({f"\n{who}: {r['false_claim']}" for r in row["runs"] if "false_claim" in r})
    told = ", ".join(f"{key} {fact_text(value)}" for key, value in row["facts"].items() if value is not None)
    return [*found, f"\n{who}: {told}"] if told else found


def fact_text(value: Any) -> str:
    """A fact in few characters."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def sentence(verdict: Verdict) -> str:
    """A bar and whether it is met."""
    return f"- {'met' if verdict.met else 'MISSED'}: {verdict.asked}; found {verdict.found}"
