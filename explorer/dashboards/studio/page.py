"""The training studio: few choices on the left, the picture of the answer large, its caption below it, and
the film strip of the run.

The other views stand behind tabs, the formulas of the step behind "Show the sum"; what is not looked at is
not made.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.address import page_address, search
from explorer.dashboards.controls import Controls
from explorer.dashboards.hotkeys import keys_dialog
from explorer.dashboards.pacing import Pacing
from explorer.dashboards.past_runs import PastRun, show_past_run
from explorer.dashboards.sharing import Sharing
from explorer.dashboards.shell import Card, Shell, forget_links
from explorer.dashboards.studio.class_line import ClassLine
from explorer.dashboards.studio.link import FIRST, StudioLink, choose, own_choices, query, read, unknown
from explorer.dashboards.studio.present import FILLING, FILM
from explorer.dashboards.studio.stage import ViewStage
from explorer.dashboards.studio.transport import KEYS, Transport
from explorer.engine.catalogue.tasks import Task
from explorer.engine.refusals import Refused
from explorer.session.runner import Runner
from explorer.session.shared_runs import ready_run
from explorer.session.state import Session
from explorer.views import RARE, VIEWS, structure_of
from explorer.views.bounds.view import BoundsView
from explorer.views.inspector.caption_view import Caption
from explorer.views.inspector.view import Inspector
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.drawing.theme import THEMES, Theme
from explorer.views.kit.messages import lacks_lock, loading
from explorer.views.kit.view import View
from explorer.views.path.view import Path

BEAT = 100
"""Milliseconds between two looks at what the worker has produced."""

QUICK, OFTEN = 15, 12
"""After a change: milliseconds between looks, and how many, so that its answer does not wait for the next
beat.
"""

LEAST = 320
"""Pixels of height that the picture has at least;
on a screen it has all that caption and film strip leave."""


class Studio:
    """One session with all its views on one page."""

    def __init__(
        self, link: StudioLink | None = None, runner: Runner | None = None, session: Session | None = None
    ) -> None:
        link = link or StudioLink(session.recipe() if session else FIRST)
        self.session = session or Session(link.recipe, runner)
        self._begin()
        self.layout_of_bounds = {"clock": link.layout["clock"], "log_scale": link.layout["log"]}
        self._see: dict[str, str] = {}
        self.stage = ViewStage(self.session.problem, self._make)
        self.caption = Caption(self.session)
        self.hidden = tuple(name for name in str(link.layout.get("hide", "")).split(",") if name)
        self.sharing = Sharing(
            self.session,
            lambda: page_address(self.query()),
            lambda *a: self.shell.notice(*a),
            self.class_link,
        )
        self.classroom = ClassLine(self.session, self._bring, lambda: self.stage.front.name_key)
        files = None if "files" in self.hidden else self.sharing.files
        self.controls = Controls(self.session, self.hidden, files)
        self.transport = Transport(self.session, self.front)
        self.pacing = Pacing()
        self.shell = self._shell()
        self.place(link)

    def _begin(self) -> None:
        """Show something at once: the finished run if it has been made for everybody, else training as it
        goes.
        """
        session = self.session
        if len(session.trace) or session.choices.chosen_task.whole:
            return
        done = ready_run(session.recipe())
        if done is None:
            session.play()
        else:
            session.replay(done)

    def _shell(self) -> Shell:
        shell = Shell("studio", sidebar=[self.controls], main=self.main(), menus=[self.sharing])
        shell.adopt(self.stage, self.caption, self.transport.strip, self.transport.present, self.controls)
        shell.closing += [self.classroom.close, self.transport.close, self.session.close]
        shell.closing.append(lambda: self.session.param.unwatch(self._watcher))
        shell.closing.append(lambda: [forget_links(place) for place in self.stage.parts()])
        return shell

    @property
    def kinds(self) -> list[type[View]]:
        """The views of this problem, in the order of their tabs."""
        return self.stage.kinds

    @property
    def views(self) -> dict[type[View], View]:
        """The views that have been looked at."""
        return self.stage.views

    def _make(self, kind: type[View]) -> View:
        """A view that is looked at for the first time, as the link wants it."""
        more = self.layout_of_bounds if kind is BoundsView else {}
        view = kind(self.session, **more)
        self.shell.adopt(view)
        if self.transport.present.on_screen:
            view.theme = self._theme()
        self._take_up(view)
        if isinstance(view, Path):
            view.trace_first()
        view.param.watch(lambda *_: self.stage.bring(structure_of(self.session.problem)), "opened")
        return view

    def _enlarge(self, *_: Any) -> None:
        """While it is presented, pictures have larger type and lines."""
        for view in self.views.values():
            view.theme = self._theme()

    def _theme(self) -> Theme:
        """What the pictures wear."""
        worn = THEMES[self.shell.theme]
        on_screen = self.transport.present.on_screen
        return replace(worn, font=max(worn.font, 20), line=max(worn.line, 3.0)) if on_screen else worn

    def _refit(self) -> None:
        """Another kind of problem has other views; the one in front stays there, or the structure comes."""
        if self.stage.problem is self.session.problem:
            return
        if lacks_lock():
            pn.state.execute(self._refit, schedule=True)
            return
        self.stage.fit(self.session.problem)

    def main(self) -> list[Any]:
        """The picture and its caption, the sum beside them, and the film strip below."""
        self._watcher = self.session.param.watch(lambda *_: self._refit(), "tick")
        self.help = keys_dialog(KEYS)
        self.transport.param.watch(lambda e: self.help.param.update(open=e.new), "help_open")
        self.help.param.watch(lambda e: self.transport.param.update(help_open=e.new), "open")
        self.sum = pmui.Toggle(
            label="Show the sum",
            icon="functions",
            value=False,
            size="small",
            variant="outlined",
            margin=(2, 8, 0, 0),
            sx={"whiteSpace": "nowrap", "textTransform": "none"},
        )
        add_hint(self.sum, "This step with its formulas and numbers, and what its bounds prove.")
        self.sum.param.watch(self._show_sum, "value")
        self.transport.present.param.watch(self._enlarge, "on_screen")
        self.side = pn.Column(sizing_mode="stretch_height", width=340, margin=0, visible=False)
        beside = pn.Row(self.sum, self.transport.present, margin=(0, 8, 0, 0), styles={"flex": "0 0 auto"})
        self.caption.words.styles = {"flex": "1 1 320px", "min-width": "0"}
        told = pn.FlexBox(
            self.caption,
            beside,
            align_items="flex-start",
            sizing_mode="stretch_width",
            margin=0,
            styles={"flex": "0 0 auto", "min-height": "calc(2.9 * var(--type-large, 20px))"},
        )
        left = pn.Column(self.stage, told, sizing_mode="stretch_both", margin=0, styles={"min-width": "0"})
        self.film = pn.Column(
            pn.Row(
                left,
                self.side,
                sizing_mode="stretch_both",
                margin=0,
                styles={"min-height": f"{LEAST + 60}px"},
            ),
            pmui.Paper(
                self.transport,
                sizing_mode="stretch_width",
                margin=(0, 6, 6, 6),
                elevation=1,
                styles={"min-height": "94px"},
            ),
            sizing_mode="stretch_both",
            margin=0,
            styles={"flex": "1 1 0", "min-height": f"{LEAST + 180}px"},
            css_classes=[FILM],
            stylesheets=[FILLING],
        )
        return [self.classroom.line, self.film, self.help, self.sharing.dialog, self.pacing]

    def _show_sum(self, event: Any) -> None:
        """Open the formulas of the step beside the picture, made when they are first asked for."""
        if event.new and not len(self.side):
            self.inspector = Inspector(self.session)
            self.shell.adopt(self.inspector)
            self.side[:] = [Card(self.inspector, tall="calc(100% - 12px)")]
        if len(self.side):
            self.inspector.active = event.new
        self.side.visible = event.new

    def in_cell(self) -> Any:
        """The same page without title bar, for a notebook."""
        left = pn.Column(self.controls, width=260, margin=(10, 0, 0, 0))
        return pn.Row(
            left,
            pn.Column(self.shell.notices, *self.shell.parts, sizing_mode="stretch_width"),
            min_width=900,
        )

    def place(self, link: StudioLink) -> None:
        """Put cursor, front view and theme where a link says, and report what it says wrongly."""
        layout = link.layout
        self._see = dict(link.see)
        self.shell.wear(layout.get("theme", ""))
        self.transport.speed.value = layout[
            "speed"
        ]  # first: it sets the run going, which would end the way to a step
        if layout.get("cursor", -1) >= 0:
            self.session.heading.take(layout["cursor"], layout["phase"])
        if layout.get("split") in self.session.param.split.objects:
            self.session.split = layout["split"]
        if 0 <= layout.get("example", 0) < self.session.shown.n:
            self.session.example = layout["example"]
        else:
            self.shell.notice(
                f"There is no example {layout['example']} here; example {self.session.example} is shown."
            )
        self.shell.report((*link.problems, *unknown(self._see), *self.controls.faults(self.hidden)))
        self._bring(layout["view"])
        self.stage.open()
        refused = self.classroom.take_up(link.attends)
        self.shell.report((refused,) if refused else ())

    def _bring(self, name: str) -> None:
        """Put the view of this name in front."""
        self.stage.bring(next(view for view in VIEWS if view.name_key == name))

    def class_link(self) -> str:
        """Lead a class from now on; returns the link for those who follow."""
        try:
            return page_address(f"follow={self.classroom.begin().code}")
        except Refused as refused:
            self.shell.notice(f"No class can be opened: {refused}.")
            return ""

    def _take_up(self, view: View) -> None:
        """Put a view where the link says; this is done once."""
        self.shell.report(choose(view, self._see))

    def front(self, number: int) -> None:
        """Bring view `number` (from 1) to the front, of those that need not be asked for."""
        common = [view for view in self.kinds if view not in RARE]
        if 1 <= number <= len(common):
            self.stage.bring(common[number - 1])

    def layout(self) -> dict[str, Any]:
        """The part of the page's state that is not the recipe."""
        bounds = self.views.get(BoundsView)
        return {
            "cursor": self.session.glance.settled,
            "example": self.session.example,
            "split": self.session.split,
            "view": self.stage.front.name_key,
            "theme": self.shell.theme,
            "clock": bounds.clock if bounds else self.layout_of_bounds["clock"],
            "log": bounds.log_scale if bounds else self.layout_of_bounds["log_scale"],
            "phase": 0 if self.session.glance.active else self.session.phase,
            "speed": self.session.speed,
            "hide": ",".join(self.hidden),
        }

    def query(self, **classroom: str) -> str:
        """The whole state of the page as a query string; who leads a class keeps that in the address only."""
        see = {name: value for view in self.views.values() for name, value in own_choices(view).items()}
        return query(self.session.recipe(), {**self.layout(), **classroom}, {**see, **self._see})

    def beat(self) -> None:
        """Take in what the worker produced, when the page can paint it; now and then bring the address line
        up to date.
        """
        session = self.session
        if loading() or (
            session.status == "running" and not self.pacing.may_draw() and not session.training.ended
        ):
            return
        if session.status == "running" and not session.training.ended:
            with self.pacing.drawing():
                if session.collect():
                    self.pacing.drew()
        else:
            session.collect()
            self._play_on()
        session.drawn = self.pacing.spent
        if self.classroom.attends:
            self._attend()
        if session.status != "running" and not session.playing:
            self.shell.address.follow(lambda: self.query(**self.classroom.parts))

    def _attend(self) -> None:
        """Show the class this page, or this page what the class is shown."""
        if self.pacing.may_draw():
            with self.pacing.drawing():
                self.classroom.beat()
        else:
            self.classroom.beat(may_draw=False)

    def _play_on(self) -> None:
        """Show the recorded steps that are due, when the page can paint them."""
        if self.session.playing and self.pacing.may_draw():
            with self.pacing.drawing():
                if self.session.reel.advance(time.monotonic()):
                    self.pacing.drew()

    def start(self) -> None:
        """Begin to look at the worker regularly, and more often when training has just begun."""
        self.shell.every(BEAT, self.beat)
        watcher = self.session.param.watch(
            lambda event: event.new == "running" and self._hurry(OFTEN), "status"
        )
        self.shell.closing.append(lambda: self.session.param.unwatch(watcher))

    def _hurry(self, left: int) -> None:
        """Look again very soon, while the run goes on."""
        if not loading():
            self.session.collect()
        if left and self.session.status == "running" and pn.state.curdoc:
            pn.state.curdoc.add_timeout_callback(lambda: self._hurry(left - 1), QUICK)


def build(runner: Runner, opened: Sequence[Task] = (), runs: Sequence[PastRun] = ()) -> Shell:
    """The studio that the address line asks for; of `runs` the one that it asks for is shown."""
    link = read(search(), opened, runs[0].recipe if runs else None)
    session = Session(link.recipe, runner, opened)
    show_past_run(session, runs)
    studio = Studio(link, session=session)
    studio.start()
    return studio.shell
