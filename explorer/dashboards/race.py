"""The race: learners side by side on one problem, bounds overlaid live."""

from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.controls import WIDE, decades, refusals, released
from explorer.dashboards.shell import Card, Shell, asked_theme
from explorer.engine.learners import by_name
from explorer.engine.tasks import TASKS
from explorer.engine.trace import Trace
from explorer.session.race import CLOCKS, MOST_LANES, Race, first_race
from explorer.session.runner import Runner
from explorer.views.race import RaceBounds, frame

BEAT = 150


class RacePage:
    """One race on one page: the finished one that everybody sees first, then the visitor's own."""

    def __init__(self, runner: Runner) -> None:
        self.race = Race(runner)
        self.view = RaceBounds()
        card = Card(self.view, tall="max(420px, calc(100vh - 150px))")  # type: ignore[arg-type]  # drawn like a view
        self.shell = Shell("race", sidebar=self._sidebar(), main=[self._bar(), card])
        self.shell.adopt(self.view)  # type: ignore[arg-type]  # has the same theme and close
        self.shell.closing.append(self.race.close)
        self.race.param.watch(lambda *_: self.follow(), ["tick", "status", "message"])
        self.race.param.watch(lambda *_: self.offer(), "task")
        self.race.watch(first_race(runner))

    def _sidebar(self) -> list[Any]:
        race = self.race
        tasks = {task.title: task.name for task in TASKS}
        task = pmui.Select(label="Task", options=tasks, value=race.task, description=race.param.task.doc, **WIDE)
        task.param.watch(lambda e: race.param.update(task=e.new), "value")
        tight = {"& .MuiFormControlLabel-root": {"marginTop": "-3px", "marginBottom": "-3px"}}
        group = {"margin": (8, 8), "size": "small", "sx": tight}
        self.chosen = pmui.CheckBoxGroup(label="Learners (two to four)", description=race.param.learners.doc, **group)
        self.chosen.param.watch(lambda e: race.param.update(learners=e.new), "value")
        self.reasons = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8))
        clock = pmui.RadioBoxGroup(
            label="Kept side by side in", options=list(CLOCKS), value=race.clock, inline=True,
            description=race.param.clock.doc, **group,
        )  # fmt: skip
        clock.param.watch(lambda e: race.param.update(clock=e.new), "value")
        race.log_scaled = frozenset({"C", "relative_gap"})
        passes = released(race, "passes", pmui.FloatSlider, start=1, end=500, step=1)
        self.offer()
        numbers = [decades(race, "C"), decades(race, "relative_gap"), passes]
        return [pn.Spacer(height=8), task, self.chosen, self.reasons, clock, *numbers]

    def offer(self) -> None:
        """List the learners that this task can have; the others are named with their reasons."""
        refused = self.race.refusals()
        names = {by_name(n).title: n for n in self.race.param.learners.objects if n not in refused}
        kept = [n for n in self.race.learners if n not in refused]
        self.chosen.param.update(options=names, value=kept)
        self.reasons.object = refusals(refused)

    def _bar(self) -> Any:
        small = {"size": "small", "margin": (4, 4)}
        self.play = pmui.Button(
            label="Play", icon="play_arrow", variant="contained", width=110,
            description="Play or pause all learners; a finished race is run again.", **small,
        )  # fmt: skip
        self.play.on_click(lambda _: (self.race.pause if self.race.status == "running" else self.race.play)())
        again = pmui.Button(
            label="Reset", icon="restart_alt", variant="outlined", description="Reset: forget the race.", **small
        )
        again.on_click(lambda _: self.race.reset())
        self.says = pmui.Typography("", variant="body2", margin=(10, 8))
        row = pn.Row(self.play, again, self.says, sizing_mode="stretch_width", margin=0)
        return pmui.Paper(row, sizing_mode="stretch_width", margin=6, elevation=1)

    def follow(self) -> None:
        """Show where the race stands."""
        race = self.race
        running = race.status == "running"
        self.play.param.update(label="Pause" if running else "Play", icon="pause" if running else "play_arrow")
        words = {
            "idle": "Choose two to four learners and press play.", "running": "Training side by side.",
            "paused": "Paused.", "stopped": "Finished", "failed": "Cannot start",
        }  # fmt: skip
        self.says.object = words[race.status] + (f": {race.message}." if race.message else "")
        self.view.show(frame(race.traces or self._at_the_start(), CLOCKS[race.clock]), race.clock)

    def _at_the_start(self) -> dict[str, Trace]:
        """Those who are about to run, without a step yet: until the first one moves they are named, not drawn."""
        return {name: Trace() for name in self.race.learners[:MOST_LANES]}

    def start(self) -> None:
        """Begin to look at the worker regularly."""
        callback = pn.state.add_periodic_callback(self.race.collect, period=BEAT)
        self.shell.closing.append(callback.stop)


def build(runner: Runner) -> Shell:
    """A page with the race that was run for everybody, ready for a new one."""
    page = RacePage(runner)
    page.start()
    page.shell.wear(asked_theme())
    return page.shell
