"""The gallery: every task as a card with a picture of its finished bounds, leading to the studio."""

from html import escape
from typing import Any
from urllib.parse import urlencode

import numpy as np
import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.shell import Shell
from explorer.engine.learners import by_name
from explorer.engine.tasks import TASKS, Recipe, Task
from explorer.engine.trace import Trace
from explorer.session.state import shared_run
from explorer.views.theme import LIGHT

WIDTH, HEIGHT = 260, 90


def thumbnail(trace: Trace) -> str:
    """Primal above dual as a small SVG drawing."""
    primal, dual = np.fmin.accumulate(trace.column("primal")), trace.column("dual")
    known = np.concatenate([primal, dual])
    known = known[np.isfinite(known) & (known > 0)]
    low, high = np.log10(known.min()), np.log10(known.max())
    span = max(high - low, 1e-9)

    def line(values: Any, colour: str, dash: str) -> str:
        ok = np.isfinite(values) & (values > 0)
        x = np.flatnonzero(ok) / max(1, len(values) - 1) * (WIDTH - 8) + 4
        y = HEIGHT - 6 - (np.log10(values[ok]) - low) / span * (HEIGHT - 12)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        return (
            f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='2.5' stroke-dasharray='{dash}'/>"
        )

    lines = line(primal, LIGHT.primal, "none") + line(dual, LIGHT.dual, "6 4")
    return (
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' width='100%' height='{HEIGHT}' role='img' "
        f"aria-label='bounds closing over {len(trace)} steps' style='background:#fff;border-radius:4px'>{lines}</svg>"
    )


def card(task: Task) -> Any:
    """One task."""
    trace = shared_run(Recipe(task=task.name))
    first = by_name(task.learner)
    gap = (trace.column("primal")[-1] - trace.column("dual")[-1]) / trace.column("primal")[-1]
    text = (
        f"<p style='margin:4px 0'>{escape(task.help)}</p><p style='margin:4px 0'>{escape(first.title)}: "
        f"{len(trace)} steps to a relative gap of {gap:.2g}.</p>"
    )
    go = pmui.Button(
        label=f"Open {task.title}", href=f"studio?{urlencode({'v': 1, 'task': task.name})}", target="_self", size="small",
        variant="contained",
    )  # fmt: skip
    return pmui.Paper(
        pmui.Typography(task.title, variant="h6", margin=(8, 12), sx={"fontSize": "1.05rem"}),
        pn.pane.HTML(thumbnail(trace) + text, sizing_mode="stretch_width", margin=(0, 12)),
        go,
        width=300,
        margin=8,
        elevation=1,
    )


def build() -> Shell:
    """All tasks."""
    intro = pmui.Typography(
        "Choose a problem. Each opens already trained; press play to watch it learn.", margin=(8, 12)
    )
    grid = pn.FlexBox(*[card(task) for task in TASKS], sizing_mode="stretch_width", margin=0)
    return Shell("gallery", sidebar=[], main=[intro, grid])


__all__ = ["build", "card", "thumbnail"]
