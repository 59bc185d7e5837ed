"""How often a page is drawn: as often as the browser can paint and still rest, so that watching leaves
training its cores.

The page tells how long it took to paint what it was sent; it is sent nothing more until it has rested REST
times as long. A quick machine is thus drawn ten times a second, a slow one less often, and nobody builds a
backlog. A page that does not answer (its tab is hidden, and browsers do not paint those) is drawn once a
second. What the server spends on drawing is shared: of n pages that watch a run each rests n times as long as
one would, so that a full class leaves the server time for clicks.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import param
from panel.custom import JSComponent

from explorer.views.kit.messages import together

REST = 3.0
"""Seconds of rest for a second of painting: then painting takes a quarter of one core at the most."""

SHARE = 2.5
"""Seconds between two drawings of a page for a second that the server took for one, times the pages that
watch: then drawing takes two fifths of its time at the most."""

LATELY = 5.0
"""Seconds for which a page that was drawn counts as watching."""

SILENCE = 1.0
"""Seconds after which a page that did not answer is drawn all the same."""


class Pacing(JSComponent):
    """Nothing to see: it answers when everything that was sent before it has been painted."""

    drawn = param.Integer(0, doc="Counts what was sent; a change asks the page to answer.")

    watching: ClassVar["WeakKeyDictionary[Pacing, float]"] = WeakKeyDictionary()
    """When each page of this server was drawn last."""

    _esm = """
    export function render({ model, el }) {
      el.style.display = "none"
      model.on("drawn", () => {
        const began = performance.now()
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
          model.send_msg(performance.now() - began)
        })))
      })
    }
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._since, self._until, self._turn = 0.0, 0.0, 0.0
        self.spent = 0.0  # seconds of drawing

    def may_draw(self) -> bool:
        """Whether the page may be drawn again."""
        now = time.monotonic()
        return now >= self._turn and (now >= self._until if self._until else now - self._since >= SILENCE)

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """All that changes within is one drawing; afterwards it is the turn of the other pages."""
        began = time.monotonic()
        with together():
            yield
        now = time.monotonic()
        self.spent += now - began
        others = sum(now - at < LATELY for page, at in self.watching.items() if page is not self)
        self._turn = now + SHARE * (now - began) * (1 + others)

    def drew(self) -> None:
        """The page was sent something: it rests until it has answered, and after that."""
        self._since, self._until = time.monotonic(), 0.0
        self.watching[self] = self._since
        self.drawn += 1

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, int | float):
            painting = min(max(float(data) / 1000.0, 0.0), SILENCE)
            self._until = time.monotonic() + REST * painting
