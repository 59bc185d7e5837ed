"""The transport: play, pause, step, step back, phases, speed, training again, undo; beside them the film
strip of the bounds, on which one travels, and below it why the run stopped.

The phase button names what happens next. Keys: space plays and pauses, right and left arrows step and step
back, p takes one phase, r resets, ? shows the keys, digits bring a view to the front. Keys are left alone
while somebody types.
"""

from collections.abc import Callable
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from explorer.dashboards.hotkeys import DIGITS, Hotkeys
from explorer.dashboards.studio.present import Present
from explorer.session.state import PHASES, Session
from explorer.views.bounds.strip import BoundsStrip
from explorer.views.kit.controls.tooltips import add_hint
from explorer.views.kit.messages import Soon, one_message
from explorer.views.kit.tables import TEXT

SPEEDS = {"1 per s": 1.0, "4 per s": 4.0, "20 per s": 20.0, "flat out": 0.0}

KEYS = {
    "Space": "play or pause",
    "→": "one step on",
    "←": "one step back",
    "p": "one phase on",
    "r": "put the run aside and begin anew",
    "u": "undo the last change",
    "Page Down, Page Up": "while presenting: one step on, one step back",
    "1 to 9": "bring a view to the front",
    "?": "show these keys",
}
PRESSED = (" ", "ArrowRight", "ArrowLeft", "p", "r", "u", "?", *DIGITS)
"""The same keys as browsers name them."""


EXPLAINED = {"whiteSpace": "nowrap", "&.Mui-disabled": {"pointerEvents": "auto", "cursor": "not-allowed"}}
"""A button that says why when it is disabled: the pointer still reaches its tooltip."""


ICON = {"size": "small", "margin": (6, 0), "sx": {"padding": "4px"}}
ONE_LINE = "p { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-height: 1.3em; }"
WIDE_AS = ":host {{ width: calc({} * var(--type-small, 14px)) !important; }}"
"""As wide as so many letters: a button whose word changes moves nothing."""


class Transport(pn.viewable.Viewer):
    """The controls that move a session through its run."""

    help_open = param.Boolean(False)

    def __init__(
        self, session: Session, front: Callable[[int], None] = lambda n: None, **params: Any
    ) -> None:
        super().__init__(**params)
        self.session = session
        self.front = front
        small = {"size": "small", "margin": (2, 2), "variant": "outlined"}
        self.back = pmui.Button(
            label="Back", icon="skip_previous", description="Back: look one step earlier (←).", **small
        )
        self.play = pmui.Button(
            label="Play",
            icon="play_arrow",
            stylesheets=[WIDE_AS.format(7)],
            **(small | {"variant": "contained"}),
        )
        self.step = pmui.Button(label="Step", icon="skip_next", sx=EXPLAINED, **small)
        self.phase = pmui.Button(
            label=PHASES[session.phase],
            icon="double_arrow",
            stylesheets=[WIDE_AS.format(13.4)],
            sx=EXPLAINED,
            **small,
        )
        self.again = pmui.Button(label="Train again", icon="restart_alt", sx=EXPLAINED, **small)
        self.undo = pmui.IconButton(icon="undo", description="Undo the last change (u).", **ICON)
        self.redo = pmui.IconButton(icon="redo", description="Redo what was undone.", **ICON)
        self.present = Present(
            lambda way: (session.step if way == "on" else session.step_back)(), margin=(3, 2)
        )
        self.strip = BoundsStrip(session, sizing_mode="stretch_width", height=62, margin=0)
        self.speed = pmui.Select(
            label="Speed",
            options=SPEEDS,
            value=session.speed,
            width=106,
            stylesheets=[WIDE_AS.format(7.6)],
            margin=(4, 2),
            size="small",
            description="",
        )
        add_hint(self.speed, "How many steps a second are shown, and trained while somebody watches.")
        self.why = pn.pane.HTML(
            "",
            sizing_mode="stretch_width",
            margin=0,
            css_classes=["run-status"],
            stylesheets=[TEXT, ONE_LINE],
        )
        self.keys = Hotkeys(self.press, PRESSED)
        self.dress = Soon(self._dress, 150)
        self._connect()
        self.follow()

    def _connect(self) -> None:
        session = self.session
        self.back.on_click(lambda _: session.step_back())
        self.play.on_click(lambda _: session.reel.toggle())
        self.step.on_click(lambda _: session.step())
        self.phase.on_click(lambda _: session.step_phase())
        self.again.on_click(lambda _: session.train_again())
        self.undo.on_click(lambda _: session.changes.undo())
        self.redo.on_click(lambda _: session.changes.redo())
        self.speed.param.watch(self._sped, "value")
        self.watchers = [
            session.param.watch(self.follow, ["tick", "cursor", "status", "phase", "message", "playing"])
        ]

    def _sped(self, event: Any) -> None:
        self.session.speed = event.new
        if self.session.status == "running":
            self.session.play(event.new)

    def press(self, key: str) -> None:
        """Carry out a key."""
        session = self.session
        actions = {
            " ": session.reel.toggle,
            "ArrowRight": session.step,
            "ArrowLeft": session.step_back,
            "p": session.step_phase,
            "r": session.reset,
            "u": session.changes.undo,
            "?": lambda: self.param.update(help_open=not self.help_open),
        }
        if key in actions:
            actions[key]()
        elif key.isdigit():
            self.front(int(key))

    def follow(self, *_: Any) -> None:
        """Show where the session is: in words at once, on the buttons when it lasts."""
        self.why.object = status_line(self.session)
        self.dress()

    def _dress(self) -> None:
        """Name the buttons by what they do now, and switch off what cannot be done."""
        session = self.session
        moves = session.status == "running" or session.playing
        empty = not len(session.trace)
        with one_message():
            self.play.param.update(
                label="Pause" if moves else "Play",
                icon="pause" if moves else "play_arrow",
                description=about_play(session),
            )
            self.again.param.update(
                disabled=empty, description="Train again: from the first step; the run so far is put aside."
            )
            changes = session.changes
            self.undo.disabled, self.redo.disabled = not changes.before, not changes.after
            self.phase.param.update(
                label=PHASES[session.phase], description=about_phase(session), disabled=not session.has_next
            )
            self.step.param.update(description=about_step(session), disabled=not session.has_next)
            self.back.disabled = session.cursor == 0

    def close(self) -> None:
        """Stop listening to the session."""
        for watcher in self.watchers:
            self.session.param.unwatch(watcher)

    def __panel__(self) -> Any:
        first = pn.Row(self.back, self.play, self.step, self.again, margin=0)
        second = pn.Row(self.phase, self.speed, self.undo, self.redo, margin=0)
        buttons = pn.Column(first, second, margin=0, styles={"flex": "0 0 auto", "width": "max-content"})
        film = pn.Column(self.strip, self.why, margin=0, min_width=280, styles={"flex": "1 1 380px"})
        return pn.FlexBox(
            buttons, film, self.keys, gap="6px 10px", sizing_mode="stretch_width", margin=(4, 8)
        )


def about_play(session: Session) -> str:
    """What the play button does."""
    if session.playing or session.status == "running":
        return "Pause (space)."
    if session.cursor < session.newest:
        return "Play the recorded steps from here (space)."
    return "Play: train on (space)." if session.has_next else "Play the run from its first step (space)."


def about_step(session: Session) -> str:
    """What the step button does, or why it cannot."""
    if not session.has_next:
        why = f" ({session.message})" if session.message else ""
        return f"Step: the run has ended{why}. Play shows it from the start."
    known = session.cursor < len(session.trace) - 1
    return "Step: one step on, as recorded (→)." if known else "Step: train one step more (→)."


def about_phase(session: Session) -> str:
    """What the phase button does, or why it cannot."""
    if not session.has_next:
        return (
            f"{PHASES[session.phase]}: the run has ended. Go back to any step to walk through the phases of "
            "the one after it."
        )
    if not len(session.trace):
        return f"{PHASES[session.phase]}: the first step at once, later ones phase by phase (p)."
    return f"{PHASES[session.phase]}: one phase of step {session.cursor + 1} (p)."


def status_line(session: Session) -> str:
    """Status, stop rule and reason as one line of HTML; the reason is escaped."""
    words = {
        "idle": "Ready.",
        "running": "Training.",
        "paused": "Paused.",
        "stopped": "Stopped",
        "failed": "Cannot go on",
    }
    rule = session.choices.rule
    rules = [f"relative gap ≤ {rule.relative_gap:g}"] if rule.relative_gap else []
    rules += [f"gap ≤ {rule.gap:g}"] if rule.gap else []
    rules += [f"{rule.passes:g} passes"] if rule.passes else []
    rules += [f"{rule.seconds:g} s"] if rule.seconds else []
    rules += [f"{rule.steps} steps"] if rule.steps else []
    stop = f"Stop rule: {' or '.join(rules) or 'when no cut is left'}."
    text = words[session.status] + (f": {session.message}." if session.message else "")
    count = f"Step {session.cursor} of {max(0, len(session.trace) - 1)}." if len(session.trace) else ""
    return (
        f"<p role='status' aria-live='polite' class='run {session.status}'><b>{escape(text)}</b> {count} "
        f"{escape(stop)}</p>"
    )
