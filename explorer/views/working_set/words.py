"""What the working set says, in words and as a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.views.working_set.frame import WorkingSetFrame
from explorer.views.working_set.rows import CutRows
from explorer.wording import number, quantity


def sentence(shown: WorkingSetFrame) -> str:
    """Size, weights and the latest find."""
    if not len(shown.growth.step):
        return "Nothing trained yet: press play."
    if not shown.keeps:
        return without_cuts(shown)
    cuts, bars, dropped = shown.rows.total, shown.bars, shown.figures["dropped"]
    size = f"Step {shown.at}: {quantity(cuts, 'cut')} kept, {shown.active:,} with weight"
    size += f", {int(dropped):,} pruned so far" if dropped > 0 else ""
    parts = [size + capacity_words(shown) + ".", found_words(shown.figures)]
    if shown.kept_at not in (shown.at, shown.at + 1):
        parts.append(f"Cuts are those of step {shown.kept_at}, the nearest that was kept.")
    if bars.total > len(bars.names):
        parts.append(f"{len(bars.names)} of {bars.total:,} {bars.of}s have bars: the largest weights.")
    if shown.growth.cached.any():
        parts.append(f"{np.mean(shown.growth.cached):.0%} of the iterations took their cut from the cache.")
    return " ".join(part for part in parts if part)


def left_out(rows: CutRows) -> list[str]:
    """What the table's caption says of cuts that it has no row for; nothing when it has all."""
    return [f"{len(rows)} of {rows.total:,} cuts, largest weights"] if rows.total > len(rows) else []


def capacity_words(shown: WorkingSetFrame) -> str:
    """How much of the weight that C allows is used."""
    bars, C = shown.bars, shown.figures["C"]
    if bars.of == "cut":
        used = number(float(np.sum(bars.top - bars.bottom)))
        told = np.isfinite(C) and 0 < bars.total == len(bars.names)
        return f"; weights sum to {used} of C = {number(C)}" if told else ""
    if not np.isfinite(bars.capacity):
        return ""
    full = len(np.unique(bars.x[bars.top >= bars.capacity * (1.0 - 1e-6)]))
    verb = "has" if full == 1 else "have"
    return f"; {quantity(full, 'example')} {verb} all the weight that C / n = {number(bars.capacity)} allows"


def found_words(figures: Mapping[str, float]) -> str:
    """What the step's oracle pass brought."""
    if not np.isnan(figures["violation"]):
        source = "cache's" if figures["cached"] > 0 else "new"
        verdict = "it enters" if figures["added"] > 0 else "left out"
        tiny = abs(figures["xi"]) <= 1e-9 * abs(figures["violation"])  # what a sum of rounded numbers leaves
        found, slack = number(figures["violation"]), number(0.0 if tiny else figures["xi"])
        return f"The {source} cut is violated by {found}, the slack is {slack}: {verdict}."
    if not np.isnan(figures["risk"]):
        return f"Risk {number(figures['risk'])}, lower model {number(figures['model'])}."
    if not np.isnan(figures["added"]):
        return f"This pass added {quantity(figures['added'], 'cut')}."
    return ""


def without_cuts(shown: WorkingSetFrame) -> str:
    """What there is to say about a learner without a working set."""
    text = f"Step {shown.at}: this learner keeps no cuts; it moves w and forgets what it was told."
    if not len(shown.rows):
        return text
    found, who = int(shown.rows.found[-1]), int(shown.rows.example[-1])
    if not shown.figures["met"]:
        return f"{text} The table has the most tempting labelling of example {who} at step {found}."
    return f"{text} The table has the {quantity(len(shown.rows), 'cut')} met at step {found}."


def table(shown: WorkingSetFrame) -> dict[str, Any]:
    """The sizes over time; the cuts have a table of their own."""
    g = shown.growth
    sizes = {"kept": g.kept, "with weight": g.active, "pruned so far": g.pruned}
    return {"step": g.step.astype(int), **sizes, "asked": np.where(g.cached, "cache", "oracle")}
