"""The training studio: choices on the left, transport on top, linked views in the middle, the explanation on
the right.
"""

from collections.abc import Sequence
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.address import AddressLine, page_address, search
from explorer.dashboards.controls import FOLDED, Controls
from explorer.dashboards.pacing import Pacing
from explorer.dashboards.sharing import Sharing
from explorer.dashboards.shell import Card, Shell, forget_links
from explorer.dashboards.studio.link import FIRST, StudioLink, choose, own_choices, query, read, unknown
from explorer.dashboards.studio.transport import KEYS, Transport, keys_dialog
from explorer.engine.catalogue.tasks import Task
from explorer.session.runner import Runner
from explorer.session.shared_runs import ready_run
from explorer.session.state import Session
from explorer.views import STRUCTURES, VIEWS, structure_of
from explorer.views.bounds.view import BoundsView
from explorer.views.inspector.view import Inspector
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.messages import lacks_lock, loading
from explorer.views.kit.view import View

BEAT = 100
"""Milliseconds between two looks at what the worker has produced."""

QUICK, OFTEN = 15, 12
"""After a change: milliseconds between looks, and how many, so that its answer does not wait for the next
beat.
"""


UPPER, ABOVE = "max(215px, 29vh)", "(80px + 4.5rem)"
LOWER = f"max(280px, calc(100vh - {ABOVE} - {UPPER} - 66px))"
RIGHT = f"max(505px, calc(100vh - {ABOVE} - 8px))"
"""Heights of the bounds, of what is above them, of the tabs' cards and of the inspector: one screen, without
scrolling.
"""


class Studio:
    """One session with all its views on one page."""

    def __init__(
        self, link: StudioLink | None = None, runner: Runner | None = None, session: Session | None = None
    ) -> None:
        link = link or StudioLink(session.recipe() if session else FIRST)
        self.session = session or Session(link.recipe, runner)
        self._wanted, self._phase = -1, 0
        self._begin()
        self.bounds = BoundsView(self.session, clock=link.layout["clock"])
        self.inspector = Inspector(self.session)
        self.views: dict[type[View], View] = {}
        self.places = {view: pn.Column(sizing_mode="stretch_both", margin=0) for view in VIEWS}
        self.kinds = self._kinds()
        self.hidden = tuple(name for name in str(link.layout.get("hide", "")).split(",") if name)
        self.controls = Controls(self.session, self.hidden)
        self.transport = Transport(self.session, self.front)
        self.pacing = Pacing()
        self.address = AddressLine()
        self._see: dict[str, str] = {}
        self.sharing = Sharing(
            self.session, lambda: page_address(self.query()), lambda *a: self.shell.notice(*a)
        )
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
        sidebar = [self.controls]
        if "files" not in self.hidden:
            files = pmui.Accordion(
                ("Files", self.sharing.files()),
                sizing_mode="stretch_width",
                margin=(0, 4),
                sx=FOLDED,
                dynamic=True,
            )
            sidebar.append(files)
        shell = Shell("studio", sidebar=sidebar, main=self.main(), menus=[self.sharing])
        shell.adopt(self.bounds, self.inspector)
        shell.closing += [self.controls.close, self.transport.close, self.session.close]
        shell.closing.append(lambda: self.session.param.unwatch(self._watcher))
        shell.closing += [lambda place=place: forget_links(place) for place in self.places.values()]
        return shell

    def _kinds(self) -> list[type[View]]:
        """The views of this problem in menu order: of the structure views one, of the others those that
        fit.
        """
        self._fitted = problem = self.session.problem
        fitting = structure_of(problem)
        return [view for view in VIEWS if (view is fitting if view in STRUCTURES else view.fits(problem))]

    def _refit(self) -> None:
        """Another kind of problem has other views; the one in front stays there, or the structure comes."""
        if self._fitted is self.session.problem:
            return
        if lacks_lock():
            pn.state.execute(self._refit, schedule=True)
            return
        kinds = self._kinds()
        if kinds == self.kinds:
            return
        front, self.kinds = self.kinds[self.tabs.active], kinds
        self.tabs[:] = [(view.title, self.places[view]) for view in kinds]
        self.tabs.active = self._place_of(front)
        self._show_tab()

    def _place_of(self, view: type[View]) -> int:
        """The tab of a view; that of the structure for a view that this problem does not have."""
        return self.kinds.index(view if view in self.kinds else structure_of(self.session.problem))

    def main(self) -> list[Any]:
        """Transport, bounds, the tabbed views and the inspector."""
        self.tabs = pmui.Tabs(
            *[(view.title, self.places[view]) for view in self.kinds],
            sizing_mode="stretch_both",
            margin=(0, 6),
            dynamic=False,
        )
        self.tabs.param.watch(lambda *_: self._show_tab(), "active")
        self._watcher = self.session.param.watch(lambda *_: self._refit(), "tick")
        self.help = keys_dialog(KEYS)
        self.transport.param.watch(lambda e: self.help.param.update(open=e.new), "help_open")
        self.help.param.watch(lambda e: self.transport.param.update(help_open=e.new), "open")
        clock = pmui.Select.from_param(
            self.bounds.param.clock,
            label="horizontal axis",
            description="",
            size="small",
            width=135,
            margin=(8, 4, 0, 4),
        )
        add_hint(clock, self.bounds.param.clock.doc)
        scale = pmui.Checkbox.from_param(self.bounds.param.log_scale, label="log", margin=(2, 4))
        left = pn.Column(
            Card(self.bounds, tall=UPPER, tools=[clock, scale], titled=False),
            self.tabs,
            sizing_mode="stretch_both",
            margin=0,
        )
        right = pn.Column(
            Card(self.inspector, tall=RIGHT),
            width=310,
            sizing_mode="stretch_height",
            margin=0,
        )
        return [
            pmui.Paper(self.transport, sizing_mode="stretch_width", margin=6, elevation=1),
            pn.Row(left, right, sizing_mode="stretch_both", margin=0),
            self.help,
            self.sharing.dialog,
            self.pacing,
        ]

    def in_cell(self) -> Any:
        """The same page without title bar, for a notebook."""
        left = pn.Column(self.controls, width=290, margin=0)
        return pn.Row(
            left,
            pn.Column(self.shell.notices, *self.shell.parts, sizing_mode="stretch_width"),
            min_width=1100,
        )

    def place(self, link: StudioLink) -> None:
        """Put cursor, front view and theme where a link says, and report what it says wrongly."""
        layout = link.layout
        self.tabs.active = self._place_of(next(view for view in VIEWS if view.name_key == layout["view"]))
        self.shell.wear(layout.get("theme", ""))
        self._wanted, self._phase = layout.get("cursor", -1), layout["phase"]
        self._arrive()
        if layout.get("split") in self.session.param.split.objects:
            self.session.split = layout["split"]
        if 0 <= layout.get("example", 0) < self.session.shown.n:
            self.session.example = layout["example"]
        else:
            self.shell.notice(
                f"There is no example {layout['example']} here; example {self.session.example} is shown."
            )
        self.bounds.log_scale, self.transport.speed.value = layout["log"], layout["speed"]
        self._see = dict(link.see)
        self.shell.report((*link.problems, *unknown(self._see)))
        for view in self.views.values():
            self._take_up(view)
        self._show_tab()

    def _take_up(self, view: View) -> None:
        """Put a view where the link says; this is done once."""
        self.shell.report(choose(view, self._see))

    def _arrive(self) -> None:
        """Go to the step that the link asks for, as soon as it has been trained."""
        session = self.session
        if self._wanted >= 0 and (len(session.trace) > self._wanted or session.status != "running"):
            session.seek(self._wanted)
            session.following = False  # a link shows its step, also when that is the newest one
            session.phase = self._phase if session.cursor < len(session.trace) - 1 else 0
            self._wanted = -1

    def front(self, number: int) -> None:
        """Bring view `number` (from 1) to the front."""
        if 1 <= number <= len(self.kinds):
            self.tabs.active = number - 1

    def _show_tab(self) -> None:
        """Make the front view when it is first asked for; the others draw nothing."""
        front = self.kinds[self.tabs.active]
        if front not in self.views:
            self.views[front] = front(self.session)
            self.shell.adopt(self.views[front])
            self._take_up(self.views[front])
            self.views[front].param.watch(lambda *_: self._show_structure(), "opened")
            self.places[front][:] = [Card(self.views[front], tall=LOWER, titled=False)]
        for kind, view in self.views.items():
            view.active = kind is front

    def _show_structure(self) -> None:
        """Bring the picture of the example that was opened to the front, where there is one."""
        fitting = structure_of(self.session.problem)
        if fitting.fits(self.session.problem):
            self.tabs.active = self.kinds.index(fitting)

    def layout(self) -> dict[str, Any]:
        """The part of the page's state that is not the recipe."""
        return {
            "cursor": self.session.glance.settled,
            "example": self.session.example,
            "split": self.session.split,
            "view": self.kinds[self.tabs.active].name_key,
            "theme": self.shell.theme,
            "clock": self.bounds.clock,
            "log": self.bounds.log_scale,
            "phase": 0 if self.session.glance.active else self.session.phase,
            "speed": self.session.speed,
            "hide": ",".join(self.hidden),
        }

    def query(self) -> str:
        """The whole state of the page as a query string."""
        see = {name: value for view in self.views.values() for name, value in own_choices(view).items()}
        return query(self.session.recipe(), self.layout(), {**see, **self._see})

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
        self._arrive()
        if session.status != "running":
            self.address.follow(self.query)

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


def build(runner: Runner, opened: Sequence[Task] = ()) -> Shell:
    """The studio that the address line asks for."""
    link = read(search(), opened)
    studio = Studio(link, session=Session(link.recipe, runner, opened))
    studio.start()
    return studio.shell
