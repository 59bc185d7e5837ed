"""The step player of a lab: back, play, on, and a slider through the film; what a lab adds stands beside
them.

Keys: space plays and pauses, left and right arrows step. Keys are left alone while somebody types.
"""

from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.hotkeys import Hotkeys
from explorer.labs.state import Lab
from explorer.views.kit.messages import loading

SLOW, QUICK, MANY = 900, 300, 25
"""Milliseconds between two steps, and between those of a film of more than MANY."""


AGAIN = 50
"""Milliseconds until a page that is still loading is asked again."""


class FilmPlayer(pn.viewable.Viewer):
    """Walks through the film of a lab."""

    def __init__(self, lab: Lab[Any], *beside: Any, **params: Any) -> None:
        super().__init__(**params)
        self.lab, self.beside, self.callback, self._film = lab, beside, None, None
        self.back = pmui.IconButton(
            icon="skip_previous", description="One step back (←)", size="small", margin=2
        )
        self.on = pmui.IconButton(icon="skip_next", description="One step on (→)", size="small", margin=2)
        self.play = pmui.Button(
            label="Play",
            icon="play_arrow",
            width=96,
            description="Play or pause the steps (space).",
            size="small",
            margin=(2, 2),
            variant="contained",
        )
        self.slider = pmui.IntSlider(
            label="Step",
            start=0,
            end=1,
            value=0,
            size="small",
            sizing_mode="stretch_width",
            margin=(0, 14),
            description="",
        )
        self._waits = False
        self.keys = Hotkeys(self.press, (" ", "ArrowLeft", "ArrowRight"))
        self.back.on_click(lambda _: self.walk(-1))
        self.on.on_click(lambda _: self.walk(1))
        self.play.on_click(lambda _: self.toggle())
        self.slider.param.watch(self._slid, "value")
        self.watcher = lab.param.watch(lambda *_: self.follow(), ["tick", "step"])
        self.follow()

    @property
    def playing(self) -> bool:
        """Whether steps go on by themselves."""
        return self.callback is not None

    def press(self, key: str) -> None:
        """Carry out a key."""
        actions = {" ": self.toggle, "ArrowRight": lambda: self.walk(1), "ArrowLeft": lambda: self.walk(-1)}
        if key in actions:
            actions[key]()

    def walk(self, by: int) -> None:
        """Step by hand: playing stops."""
        self.pause()
        self.lab.look_at_step(self.lab.step + by)

    def toggle(self) -> None:
        """Play from here, or from the beginning if the film is at its end; or pause."""
        if self.playing:
            self.pause()
        elif len(self.lab.film) > 1:
            if self.lab.step >= len(self.lab.film) - 1:
                self.lab.look_at_step(0)
            period = QUICK if len(self.lab.film) > MANY else SLOW
            self.callback = pn.state.add_periodic_callback(self.advance, period=period)
            self.follow()

    def advance(self) -> None:
        """The next step; the last one ends the show."""
        self.lab.look_at_step(self.lab.step + 1)
        if self.lab.step >= len(self.lab.film) - 1:
            self.pause()

    def pause(self) -> None:
        """Stay at this step."""
        if self.callback is not None:
            self.callback.stop()
            self.callback = None
            self.follow()

    def _slid(self, event: Any) -> None:
        if event.new != self.lab.step:
            self.pause()
            self.lab.look_at_step(event.new)

    def follow(self) -> None:
        """Show where the film stands; another film is not played on."""
        self._tell()
        if loading() and not self._waits:
            self._waits = True
            pn.state.curdoc.add_timeout_callback(self._tell_again, AGAIN)

    def _tell_again(self) -> None:
        """What was said while the page was loading may not have reached it, so it is said once more."""
        self._waits = False
        if not loading():
            for button in (self.back, self.on):
                button.disabled = not button.disabled
        self.follow()

    def _tell(self) -> None:
        if self.lab.film is not self._film:
            self._film = self.lab.film
            self.pause()
        last = len(self.lab.film) - 1
        self.play.param.update(
            label="Pause" if self.playing else "Play",
            icon="pause" if self.playing else "play_arrow",
            disabled=last == 0,
        )
        self.back.disabled, self.on.disabled = self.lab.step == 0, self.lab.step >= last
        self.slider.param.update(end=max(1, last), value=min(self.lab.step, max(1, last)), disabled=last == 0)

    def close(self) -> None:
        """Stop playing and listening."""
        self.pause()
        self.lab.param.unwatch(self.watcher)

    def __panel__(self) -> Any:
        parts = (self.back, self.play, self.on, self.slider, *self.beside, self.keys)
        return pn.Row(*parts, sizing_mode="stretch_width", margin=(0, 6))
