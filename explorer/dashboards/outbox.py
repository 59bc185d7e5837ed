"""What a document in a notebook has to tell its page: kept until the page listens, then sent in one message a
turn.

Panel sends every change at once, and tries again a tenth of a second later while the page is not there: what
was changed last may then arrive first. Here a document keeps its own changes, of each property the last one.
A model that the page has not seen travels whole, with all that it holds now, so its changes need not be told;
and one that has left the document is not spoken of. While a cell keeps the kernel busy changes only wait.

What the page itself has changed is not told to it again, nor what it had been told before it did so.

Nothing is fetched from elsewhere: a style sheet of Panel's is put in, the same one for all models, and a
Material widget finds the script that the notebook has.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from bokeh.document import Document
from bokeh.document.callbacks import DocumentCallbackManager, invoke_with_curdoc
from bokeh.models import ImportedStyleSheet, InlineStyleSheet, UIElement
from panel.io.notebook import push
from panel.io.resources import CDN_DIST, DIST_DIR
from panel.models.esm import ReactiveESM
from tornado.ioloop import IOLoop

REST = 0.1
"""Seconds between two messages while a cell is busy, and turns do not end."""


class Outbox(DocumentCallbackManager):
    """The changes of a document that its page has not been told."""

    def __init__(self, document: Document, comm: Any, script: str, find: str, look: str) -> None:
        """Widgets with this `script` get `find` in its place, and the style sheet `look`."""
        self._waiting: list[Any] = []
        self._said: list[Any] = []
        self._in_hand = self._due = self.listening = False
        self._sent = 0.0
        self._comm, self._loop, self._script, self._find = comm, IOLoop.current(), script, find
        self._look, self._sheets = InlineStyleSheet(css=look), dict[str, InlineStyleSheet]()
        super().__init__(document)
        self.hold("combine")

    @property
    def _held_events(self) -> list[Any]:
        """What Bokeh adds to and Panel sends: to Panel's own attempts there is nothing to send."""
        return self._waiting if self._in_hand else []

    @_held_events.setter
    def _held_events(self, events: list[Any]) -> None:
        if self._in_hand:
            self._waiting = events

    @contextmanager
    def _work(self) -> Iterator[None]:
        before, self._in_hand = self._in_hand, True
        try:
            yield
        finally:
            self._in_hand = before

    def trigger_on_change(self, event: Any) -> None:
        """Keep a change, to be sent at the end of this turn, or now and then while turns do not end."""
        if getattr(event, "setter", None) == self._comm.id:
            self._waiting = [kept for kept in self._waiting if place_of(kept) != place_of(event)]
            self._said.append(event)
            return
        with self._work():
            super().trigger_on_change(event)
        if not self.listening:
            return
        if not self._due:
            self._due = True
            self._loop.add_callback(self.deliver)
        elif time.monotonic() - self._sent > REST:
            self.deliver()

    def unhold(self) -> None:
        """Act on what the page has said; changes are held as before."""
        said, self._said = self._said, []
        document = self._document()
        for event in said:
            if document is not None and event.callback_invoker is not None:
                invoke_with_curdoc(document, event.callback_invoker)

    def listen(self) -> None:
        """The page is there: send what has changed since it was made, and from now on everything."""
        self.listening = True
        self.deliver()

    def deliver(self) -> None:
        """Send all changes as one message."""
        self._due, self._sent = False, time.monotonic()
        document = self._document()
        if document is None or not self.listening:
            return
        self.bring_along(set(document.models) - document.models.synced_references)
        known = document.models.synced_references
        with self._work():
            self._waiting = [e for e in self._waiting if getattr(e, "model", None) in {None, *known}]
            push(document, self._comm)

    def start(self) -> None:
        """The document as it stands is what the page is made of."""
        self._waiting = []

    def bring_along(self, models: Iterable[Any]) -> None:
        """Have these models, and those whose style sheets have changed, fetch nothing from elsewhere."""
        changed = [event.model for event in self._waiting if getattr(event, "attr", "") == "stylesheets"]
        for model in (*models, *changed):
            if isinstance(model, ReactiveESM) and model.esm == self._script:
                model.update(esm=self._find, stylesheets=[*model.stylesheets, self._look])
            if isinstance(model, UIElement):
                sheets = [self._inside(sheet) for sheet in model.stylesheets]
                if sheets != model.stylesheets:
                    model.stylesheets = sheets

    def _inside(self, sheet: Any) -> Any:
        """The same style sheet as a part of the document, if it is one of Panel's."""
        if not isinstance(sheet, ImportedStyleSheet) or not sheet.url.startswith(CDN_DIST):
            return sheet
        name = sheet.url.removeprefix(CDN_DIST).partition("?")[0]
        if name not in self._sheets:
            self._sheets[name] = InlineStyleSheet(css=text_of(name))
        return self._sheets[name]


def place_of(event: Any) -> tuple[Any, Any]:
    """The property that an event is about."""
    return getattr(event, "model", event), getattr(event, "attr", None)


@lru_cache
def text_of(name: str) -> str:
    """A style sheet that Panel brings."""
    return (DIST_DIR / name).read_text(encoding="utf-8")


__all__ = ["Outbox"]
