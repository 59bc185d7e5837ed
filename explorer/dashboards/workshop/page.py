"""The workshop: what calls which hook when, and a linear program of two variables.

The modules are those of the tutorial, and what the server was started with: no link opens another one.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.address import asked_theme
from explorer.dashboards.film_player import FilmPlayer
from explorer.dashboards.shell import Shell, side_by_side
from explorer.engine.catalogue.hooks import HookFile
from explorer.engine.catalogue.task import Task
from explorer.labs.hooks.state import HookLab
from explorer.labs.programs.state import ProgramLab
from explorer.views.hook_flow.view import HookFlow
from explorer.views.program_plane.view import ProgramPlane

TALL = "max(480px, calc(100vh - 160px))"
NUMBERS = (
    ("Objective: maximise", ("c0", "c1")),
    ("Row y0", ("a0", "a1")),
    ("", ("a_most",)),
    ("Row y1", ("b0", "b1")),
    ("", ("b_most",)),
)
LABELS = {"c0": "x0 times", "c1": "x1 times", "a0": "x0 times", "a1": "x1 times", "a_most": "at most"}
LABELS |= {"b0": "x0 times", "b1": "x1 times", "b_most": "at most"}


def build(opened: Sequence[Task] = ()) -> Shell:
    """The page; `opened` are the tasks that this server has besides the catalogue's."""
    hooks, programs = HookLab(hook_files(opened)), ProgramLab()
    flow, plane = HookFlow(hooks), ProgramPlane(programs)
    player, code = FilmPlayer(hooks), pn.pane.HTML("", sizing_mode="stretch_width", margin=(4, 8))

    def write(*_: Any) -> None:
        code.object = f"<pre style='overflow:auto;margin:0'>{escape(programs.code())}</pre>"

    programs.param.watch(write, ["tick"])
    write()
    shell = Shell(
        "workshop",
        sidebar=[*controls(hooks, programs), code],
        main=[player, side_by_side((flow, 1.25), (plane, 1.0), tall=TALL)],
    )
    shell.adopt(flow, plane)
    shell.closing.append(player.close)
    shell.wear(asked_theme())
    return shell


def hook_files(opened: Sequence[Task]) -> list[tuple[str, Any, str]]:
    """The hook modules among the tasks of this server."""
    return [(t.name, t.source.path, t.source.data) for t in opened if isinstance(t.source, HookFile)]


def controls(hooks: HookLab, programs: ProgramLab) -> list[Any]:
    """Whose hooks; the numbers of the program."""
    wide = {"sizing_mode": "stretch_width", "size": "small"}
    parts: list[Any] = [
        pmui.Select.from_param(hooks.param.stage, label="Hooks of", variant="outlined", **wide),
    ]
    for title, names in NUMBERS:
        boxes = [
            pmui.FloatInput.from_param(
                programs.param[name], label=LABELS[name], width=130, size="small", margin=(4, 2)
            )
            for name in names
        ]
        parts += [pmui.Typography(title, margin=(8, 8, 0, 8))] if title else []
        parts.append(pn.Row(*boxes, margin=(0, 6)))
    parts += [
        pmui.Checkbox.from_param(programs.param.nonnegative, label="x0 and x1 at least 0"),
        pmui.Checkbox.from_param(programs.param.whole, label="In whole numbers"),
    ]
    return parts


__all__ = ["build"]
