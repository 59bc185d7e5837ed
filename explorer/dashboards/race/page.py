"""The race: learners side by side on one problem, bounds overlaid live.

The address line holds every choice. Keys: space plays and pauses, r resets, ? shows the keys.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.address import page_address, search
from explorer.dashboards.controls import (
    FOLDED,
    WIDE,
    decades,
    group,
    refusing_learners,
    slider_on_release,
    widget,
)
from explorer.dashboards.hotkeys import Hotkeys, keys_dialog
from explorer.dashboards.pacing import Pacing
from explorer.dashboards.race.link import RaceLink, RaceLook, query, read
from explorer.dashboards.sharing import CopyMenu
from explorer.dashboards.shell import Card, Shell
from explorer.engine.catalogue.tasks import Task
from explorer.engine.contracts import Problem
from explorer.engine.learners import by_name
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.session.commands import race_cell, race_commands
from explorer.session.race import CLOCKS, FIRST, MOST_LANES, Race, Setup, first_race
from explorer.session.runner import Runner
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.messages import lacks_lock, loading, one_message
from explorer.views.race.faces import end_of
from explorer.views.race.frame import frame
from explorer.views.race.meeting import STRIDE, Meeting
from explorer.views.race.view import RaceBounds
from explorer.wording import as_sentence

BEAT = 100
"""Milliseconds between two looks at what the worker has produced."""

TALL = "max(420px, calc(100vh - 150px))"
KEYS = {
    "Space": "play or pause",
    "→": "a little later in the race",
    "←": "a little earlier in the race",
    "r": "reset the race",
    "?": "show these keys",
}
TIGHT = {"& .MuiFormControlLabel-root": {"marginTop": "-3px", "marginBottom": "-3px"}}
BOXES: dict[str, Any] = {"margin": (8, 8), "size": "small", "sx": TIGHT}
SAYS = {
    "idle": "Choose two to four learners and press play.",
    "running": "Training side by side.",
    "paused": "Paused.",
    "stopped": "Finished",
    "failed": "Cannot go on",
}


class RacePage:
    """One race on one page: the finished one that everybody sees first, or the one that a link asks for."""

    def __init__(self, runner: Runner, link: RaceLink | None = None, opened: Iterable[Task] = ()) -> None:
        link = link or RaceLink()
        look = link.look
        choices = {name: getattr(link.setup, name) for name in Setup.__dataclass_fields__}
        self.race = Race(runner, opened=opened, **choices)
        self.view = RaceBounds(
            log_objective=look.objective == "log",
            log_clock=look.horizontal == "log",
            standings_shown=look.standings == "shown",
        )
        self.meeting = Meeting(share=look.at, example=look.example)
        self.pacing = Pacing()
        self._good = self.race.setup()
        self.sharing = CopyMenu(self.texts())
        self.shell = Shell("race", sidebar=self._sidebar(), main=self._main(), menus=[self.sharing])
        self.shell.adopt(self.view, self.meeting)
        self.meeting.param.watch(lambda *_: self._point(), "share")
        self.view.param.watch(lambda event: self._go(event.new), "clicked")
        self.shell.closing.append(self.race.close)
        self.race.param.watch(lambda *_: self.follow(), ["tick", "status", "message", "refusal"])
        self.race.param.watch(lambda *_: self.offer(), ["task", "data", "model", "learners"])
        self.shell.wear(look.theme)
        self.shell.report(link.problems)
        self._begin(runner)

    def _begin(self, runner: Runner) -> None:
        """Show the race of all visitors if it is the same one, else run the one that is asked for.

        Every record has both clocks: if that race is finished, it does not matter by which one it was run.
        """
        setup, usual = self.race.setup(), FIRST
        shared = first_race(runner) if replace(setup, clock=usual.clock) == usual else None
        if shared and (shared.status == "stopped" or setup == usual):
            self.race.watch(shared)
        else:
            self.race.play()

    def _sidebar(self) -> list[Any]:
        race = self.race
        tasks = {task.title: name for name, task in race.tasks.items()}
        task = pmui.Select(
            label="Task", options=tasks, value=race.task, description=race.param.task.doc, **WIDE
        )
        task.param.watch(lambda e: race.param.update(task=e.new), "value")
        self.chosen = pmui.CheckBoxGroup(
            label="Learners (two to four)", description=race.param.learners.doc, **BOXES
        )
        self.chosen.param.watch(lambda e: race.param.update(learners=e.new), "value")
        self.reasons = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8))
        clock = pmui.RadioBoxGroup(
            label="Kept side by side in",
            options=list(CLOCKS),
            value=race.clock,
            inline=True,
            description=race.param.clock.doc,
            **BOXES,
        )
        clock.param.watch(lambda e: race.param.update(clock=e.new), "value")
        self.knobs, self._record = pn.Column(sizing_mode="stretch_width", margin=0), None
        self.offer()
        return [
            pn.Spacer(height=8),
            task,
            self.chosen,
            self.reasons,
            clock,
            decades(race, "C"),
            self._folded(),
        ]

    def offer(self) -> None:
        """List the learners that this task can have, the others with their reasons; and the settings of its
        data.
        """
        race = self.race
        try:
            refused = race.refusals()
        except Refused:
            return  # there are no such data, as the race itself says
        names = {by_name(n).title: n for n in race.param.learners.objects if n not in refused}
        self.chosen.param.update(options=names, value=[n for n in race.learners if n not in refused])
        self.reasons.object = refusing_learners(refused)
        if self._record is not race.data:
            self._record = race.data
            none = pmui.Typography("These data have no settings.", variant="body2", margin=(0, 8))
            widgets = group(race.data, "data") | group(race.model, "model")
            self.knobs[:] = list(widgets.values()) or [none]

    def _folded(self) -> Any:
        """The settings that a first look does without."""
        race = self.race
        passes = slider_on_release(race, "passes", pmui.FloatSlider, start=1, end=500, step=1)
        stopping = pn.Column(decades(race, "relative_gap"), passes, margin=0)
        cards = [
            ("Data", self.knobs),
            ("Stopping", stopping),
            ("Random choices", pn.Column(widget(race, "seed"), margin=0)),
        ]
        return pmui.Accordion(
            *cards, active=[], sizing_mode="stretch_width", margin=(0, 4), sx=FOLDED, dynamic=True
        )

    def _main(self) -> list[Any]:
        self.help = keys_dialog(KEYS)
        scales = [self._scale("log_objective", "log vertical"), self._scale("log_clock", "log horizontal")]
        curves = Card(self.view, tall=TALL, tools=scales)
        answers = Card(self.meeting, tall=TALL, numbers=False)
        cards = [
            pn.Column(
                card,
                sizing_mode="stretch_both",
                margin=0,
                styles={"flex": f"{part} 1 {least}px", "min-width": "0"},
            )
            for card, part, least in ((curves, 1.7, 520), (answers, 1.0, 330))
        ]
        both = pn.Row(*cards, sizing_mode="stretch_both", margin=0, styles={"flex-wrap": "wrap"})
        return [self._bar(), both, self.help, self.sharing.dialog, self.pacing]

    def _point(self) -> None:
        """Mark the moment that is looked at in the curves."""
        self.view.moment = self.meeting.moment

    def _go(self, moment: float) -> None:
        """Look at the moment that was clicked."""
        end = end_of(self.race.traces, CLOCKS[self.race.clock])
        if end:
            self.meeting.share = min(1.0, max(0.0, moment / end))

    def _scale(self, name: str, label: str) -> Any:
        """A checkbox that makes an axis logarithmic."""
        declared = self.view.param[name]
        box = pmui.Checkbox.from_param(declared, label=label, description="", margin=(2, 4), size="small")
        return add_hint(box, declared.doc)

    def _bar(self) -> Any:
        small = {"size": "small", "margin": (4, 4)}
        self.play = pmui.Button(
            label="Play",
            icon="play_arrow",
            variant="contained",
            width=110,
            description="Play or pause all learners (space); a finished race is run again.",
            **small,
        )
        self.play.on_click(lambda _: self.press(" "))
        again = pmui.Button(
            label="Reset",
            icon="restart_alt",
            variant="outlined",
            description="Reset: forget the race (r).",
            **small,
        )
        again.on_click(lambda _: self.press("r"))
        self.says = pmui.Typography("", variant="body2", margin=(10, 8))
        row = pn.Row(
            self.play,
            again,
            self.says,
            self._scale("standings_shown", "standings"),
            Hotkeys(self.press, (" ", "r", "?", "ArrowLeft", "ArrowRight")),
            sizing_mode="stretch_width",
            margin=0,
        )
        return pmui.Paper(row, sizing_mode="stretch_width", margin=6, elevation=1)

    def press(self, key: str) -> None:
        """Do what a key stands for."""
        race = self.race
        acts: dict[str, Callable[[], Any]] = {
            " ": race.pause if race.status == "running" else race.play,
            "r": race.reset,
            "ArrowRight": lambda: self.meeting.step(STRIDE),
            "ArrowLeft": lambda: self.meeting.step(-STRIDE),
            "?": lambda: self.help.param.update(open=True),
        }
        acts.get(key, lambda: None)()

    def follow(self) -> None:
        """Show where the race stands."""
        if lacks_lock():
            pn.state.execute(self.follow, schedule=True)
            return
        race = self.race
        running = race.status == "running"
        with one_message():
            self.play.param.update(
                label="Pause" if running else "Play", icon="pause" if running else "play_arrow"
            )
            self.says.object = status_words(race)
            clock = CLOCKS[race.clock]
            self.view.show(frame(race.traces or self._at_the_start(), clock), race.clock)
            self.meeting.show(self._problem(), race.traces, clock, race.clock)
            self._point()

    def _problem(self) -> Problem | None:
        """The problem of the race on the page."""
        if not self.race.traces:
            return None
        recipe = next(iter(self.setup().lanes().values()))
        return self.race.problem(recipe)

    def _at_the_start(self) -> dict[str, Trace]:
        """Those who are about to run, without a step yet: until the first one moves they are named, not
        drawn.
        """
        return {name: Trace() for name in self.race.learners[:MOST_LANES]}

    def setup(self) -> Setup:
        """The choices as they stand; those before them where they cannot race, which changes nothing else
        either.
        """
        now = self.race.setup()
        if now != self._good:
            try:
                now.lanes()
                self._good = now
            except Refused:
                pass
        return self._good

    def query(self) -> str:
        """The whole page as a query string."""
        view = self.view
        scales = ["log" if log else "linear" for log in (view.log_objective, view.log_clock)]
        return query(
            self.setup(),
            RaceLook(
                *scales,
                "shown" if view.standings_shown else "hidden",
                self.shell.theme,
                round(self.meeting.share, 3),
                self.meeting.example,
            ),
        )

    def texts(self) -> dict[str, Callable[[], str]]:
        """What can be copied."""
        return {
            "Copy link": lambda: page_address(self.query()),
            "Copy as notebook cell": lambda: race_cell(self.setup()),
            "Copy as command lines": lambda: race_commands(self.setup()),
        }

    def beat(self) -> None:
        """Take in what the worker produced, when the page can paint it; now and then bring the address line
        up to date.
        """
        race = self.race
        if loading():
            return
        if race.status != "running" or race.ended or self.pacing.may_draw():
            with self.pacing.drawing():
                if race.collect():
                    self.pacing.drew()
        self.shell.address.follow(self.query)


def status_words(race: Race) -> str:
    """Where the race stands, and why the choices as they are now cannot race."""
    words = SAYS[race.status] + (f": {race.message.rstrip('.')}." if race.message else "")
    if not race.refusal:
        return words
    stays = "" if race.status == "idle" else " Until then this race stays."
    return f"{'' if race.status == 'idle' else f'{words} '}{as_sentence(race.refusal)}{stays}"


def build(runner: Runner, opened: Iterable[Task] = ()) -> Shell:
    """The race that the address line asks for, the one that was run for everybody if it asks for none."""
    page = RacePage(runner, read(search(), opened), opened)
    page.shell.every(BEAT, page.beat)
    return page.shell
