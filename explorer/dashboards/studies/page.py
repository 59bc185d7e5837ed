"""Studies: published experiments that run again, filling in as rows arrive, the published numbers beside
ours.

Left the menu, the settings and the run; in the middle the picture, the verdicts and the table. The rows come
from a worker; this page draws them, and draws less often where drawing takes long.
"""

import io
import json
import time
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.address import asked_theme, search
from explorer.dashboards.controls import FOLDED, WIDE, group
from explorer.dashboards.shell import Card, Shell, forget_links
from explorer.dashboards.studies.link import StudyLink, query, read
from explorer.dashboards.studies.words import HEAD, first_sentence, header, status
from explorer.session.commands import study_command
from explorer.session.knobs import values
from explorer.session.runner import Runner
from explorer.session.studies import Studies
from explorer.session.study_run import Run, first_look
from explorer.session.study_store import tree
from explorer.studies import STUDIES
from explorer.views.kit.controls.live_html import LiveHTML
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.theme import LIGHT
from explorer.views.kit.messages import lacks_lock
from explorer.views.kit.tables import TEXT
from explorer.views.study.view import StudyPicture
from explorer.views.study.words import CSS, csv_text, findings_html, table_html

BEAT = 150
"""Milliseconds between two looks at what the worker has produced."""

CALM = 8
"""Drawing may take one part in this many of the time."""

LIST = {
    "& .MuiListItemText-primary": {"fontWeight": 600},
    "& .MuiListItemButton-root": {"paddingTop": "2px", "paddingBottom": "2px"},
}
PLAIN = {"sizing_mode": "stretch_width", "margin": (0, 10), "stylesheets": [TEXT, CSS, HEAD]}


def get_ready(runner: Runner) -> None:
    """Begin the quick look at the first study, so that its page has rows to show."""
    first_look((runner, STUDIES[0].name))


class StudiesPage:
    """One visitor's studies."""

    def __init__(self, runner: Runner, asked: StudyLink | None = None) -> None:
        asked = asked or StudyLink(STUDIES[0].name)
        self.studies = Studies(runner, asked.study, asked.knobs)
        self._drawn: tuple[Run | None, int] = (None, 0)
        self._next = 0.0
        self.picture: StudyPicture | None = None
        self.place = pn.Column(sizing_mode="stretch_both", margin=0)
        self.settings = pn.Column(sizing_mode="stretch_width", margin=0)
        self.shell = Shell("studies", sidebar=self._sidebar(), main=self._main())
        self.shell.closing += [
            self.studies.close,
            lambda: forget_links(self.place),
            lambda: forget_links(self.settings),
        ]
        self.shell.param.watch(lambda *_: self.write(), "theme")
        self.studies.param.watch(lambda *_: self.offer(), "knobs")
        self.studies.param.watch(lambda *_: self.follow(), ["tick", "message"])
        self.shell.report(asked.problems)
        self.offer()

    # what there is on the page ------------------------------------------------------------------------------

    def _sidebar(self) -> list[Any]:
        buttons = {"size": "small", "margin": (6, 3), "sx": {"whiteSpace": "nowrap", "padding": "4px 7px"}}
        self.quick = pmui.Button(label="Quick look", variant="outlined", **buttons)
        self.quick.on_click(lambda _: self.studies.quick_look())
        add_hint(self.quick, "A few rows of the experiment, in seconds.")
        self.full = pmui.Button(label="Run in full", variant="contained", **buttons)
        self.full.on_click(lambda _: self.studies.run_as_set())
        add_hint(self.full, "The experiment with the settings below; rows appear as they come.")
        self.cancel = pmui.Button(label="Cancel", variant="outlined", color="error", **buttons)
        add_hint(self.cancel, "Stop; the rows so far stay.")
        self.cancel.on_click(lambda _: self.studies.cancel())
        self.bar = pmui.LinearProgress(value=0, max=100, sizing_mode="stretch_width", margin=(4, 10))
        self.says = pn.pane.HTML("", css_classes=["study-status"], **PLAIN)
        files = pn.Column(*self._files(), sizing_mode="stretch_width", margin=0)
        folds = pmui.Accordion(
            ("Settings of a run in full", self.settings),
            ("Files", files),
            active=[0],
            sizing_mode="stretch_width",
            margin=(4, 4),
            sx=FOLDED,
        )
        run = pn.Row(self.quick, self.full, self.cancel, margin=(0, 5))
        return [self._menu(), run, self.bar, self.says, folds]

    def _menu(self) -> Any:
        """The studies by title, and a list of all with what each is about."""
        titles = {kind.title: kind.name for kind in STUDIES}
        doc = self.studies.param.study.doc
        self.menu = pmui.Select(
            label="Study", options=titles, value=self.studies.study, description=doc, **WIDE
        )
        self.menu.param.watch(lambda e: self.studies.param.update(study=e.new), "value")
        items = [
            {"label": kind.title, "secondary": f"{first_sentence(kind.about)} {kind.source}.", "icon": None}
            for kind in STUDIES
        ]
        self.every = pmui.MenuList(items=items, dense=True, sizing_mode="stretch_width", sx=LIST)
        self.every.on_click(self._picked)
        self.list = pmui.Dialog(
            self.every, title="All studies", width_option="md", show_close_button=True, close_on_click=True
        )
        look = pmui.IconButton(
            icon="list", description="All studies, with what they are about", size="small", margin=(10, 4)
        )
        look.on_click(lambda _: self.list.param.update(open=True))
        return pn.Row(self.menu, look, sizing_mode="stretch_width", margin=(8, 0, 0, 0))

    def _files(self) -> list[Any]:
        look = {"size": "small", "margin": (4, 8)}
        self.csv = pmui.FileDownload(callback=self._csv, filename="study.csv", label="Rows as CSV", **look)
        self.json = pmui.FileDownload(
            callback=self._json, filename="study.json", label="Everything as JSON", **look
        )
        self.command = pn.pane.HTML("", **PLAIN)
        return [self.csv, self.json, self.command]

    def _csv(self) -> io.StringIO:
        run = self.studies.shown
        return io.StringIO(csv_text(run.study, list(run.rows)))

    def _json(self) -> io.StringIO:
        run = self.studies.shown
        whole = {
            **tree(run.result()),
            "complete": run.status == "finished",
            "published": list(map(dict, run.study.published)),
        }
        return io.StringIO(json.dumps(whole, indent=1))

    def _main(self) -> list[Any]:
        self.head = pn.pane.HTML("", css_classes=["study-head"], **PLAIN)
        self.verdicts, self.table = pn.pane.HTML("", **PLAIN), LiveHTML(lambda *_: None, **PLAIN)
        paper = {"sizing_mode": "stretch_width", "margin": 6, "elevation": 1}
        return [
            self.head,
            self.place,
            pmui.Paper(heading("Findings"), self.verdicts, **paper),
            pmui.Paper(heading("Numbers"), self.table, **paper),
            self.list,
        ]

    # what the visitor does ----------------------------------------------------------------------------------

    def _picked(self, item: Any) -> None:
        """A study was chosen from the list of all."""
        found = next((kind.name for kind in STUDIES if kind.title == item["label"]), self.studies.study)
        self.list.open = False
        self.studies.study = found

    def offer(self) -> None:
        """Another study: its name, its settings and its figures."""
        if lacks_lock():
            pn.state.execute(self.offer, schedule=True)
            return
        studies = self.studies
        self.menu.value = studies.study
        self.every.active = studies.param.study.objects.index(studies.study)
        forget_links(self.settings)
        self.settings[:] = list(group(studies.knobs, "set").values())
        if self.picture is not None:
            self.shell.views.remove(self.picture)
        self.picture = StudyPicture(studies.plan())
        self.shell.adopt(self.picture)
        forget_links(self.place)
        rows = -(-len(self.picture.figures) // 2)
        tall = (
            f"calc({rows} * max(310px, 46vh) + 70px)" if self.picture.kind == "heat" else "max(390px, 54vh)"
        )
        whole = f"calc({tall} + 12px)"  # with the card's margins
        self.place.styles = {"height": whole, "max-height": whole, "flex": f"0 0 {whole}"}
        self.place[:] = [Card(self.picture, tall=tall)]
        self.write()

    # what is shown ------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Show where the run stands: how far it is at once, the rows when there was time to draw the last
        ones.
        """
        if lacks_lock():
            pn.state.execute(self.follow, schedule=True)
            return
        self._say()
        if time.monotonic() >= self._next or not self.studies.running:
            self.write()

    def write(self) -> None:
        """Draw everything that the rows say."""
        began = time.monotonic()
        run, theme = self.studies.shown, next((view.theme for view in self.shell.views), LIGHT)
        assert self.picture is not None
        self._say()
        if run.study.name == self.studies.study:
            self.picture.show(run.result(), run.status == "finished")
        self.head.object = header(run)
        self.verdicts.object = findings_html(run.findings, theme)
        self.table.html = table_html(run.study, run.table, "max(300px, 44vh)", theme)
        self._drawn = run, run.version
        self._next = time.monotonic() + CALM * (time.monotonic() - began)

    def _say(self) -> None:
        """The buttons, the progress and what is being done."""
        studies, run = self.studies, self.studies.shown
        full = "Run in full" if studies.is_full else "Run as set"
        busy = studies.own is run and run.running  # the look that everybody sees first keeps nobody waiting
        self.full.param.update(label=full, disabled=bool(studies.message) or busy)
        self.quick.disabled = busy
        self.cancel.disabled = not run.running or run.note == "cancelling"
        done = (
            100 if run.status == "finished" else min(100, int(100 * len(run.rows) / max(1, run.study.total)))
        )
        self.bar.value = done
        self.says.object = status(studies)
        same = study_command(studies.study, values(studies.knobs))
        self.command.object = f"<p>The same on the command line:</p><pre>{escape(same)}</pre>"

    def beat(self) -> None:
        """Take in what the worker produced; keep the address line up to date."""
        self.studies.collect()
        shown = self.studies.shown
        if self._drawn != (shown, shown.version) and time.monotonic() >= self._next:
            self.write()
        self.shell.address.follow(
            lambda: query(self.studies.study, values(self.studies.knobs), self.shell.theme)
        )


def heading(text: str) -> Any:
    """The heading of a card."""
    return pmui.Typography(
        text, variant="h6", margin=(4, 8), sx={"fontSize": "var(--type-text, 16px)", "fontWeight": 600}
    )


def build(runner: Runner) -> Shell:
    """The study that the address line asks for."""
    page = StudiesPage(runner, read(search()))
    page.shell.every(BEAT, page.beat)
    page.shell.wear(asked_theme())
    return page.shell


__all__ = ["StudiesPage", "build", "get_ready"]
