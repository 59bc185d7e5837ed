"""Tornado handlers of the pages without a session: made once, compressed once, sent to everybody."""

import asyncio
import gzip
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tornado.web import RequestHandler

from explorer.dashboards.learn import html
from explorer.dashboards.learn.course import lesson_named
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import task_named
from explorer.engine.refusals import Refused
from explorer.session.memo import Once
from explorer.session.problem_cache import problem_of
from explorer.views.kit.drawing.theme import LIGHT
from explorer.views.kit.thumbnail import thumbnail

EMPTY = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 260 120'></svg>"


def picture(task: str) -> str:
    """A task's data as a small picture."""
    problem, _ = problem_of(Recipe(task_named(task)))
    drawn = thumbnail(problem, LIGHT)
    return drawn.replace("<svg ", "<svg xmlns='http://www.w3.org/2000/svg' ", 1) or EMPTY


MAKERS: dict[str, Callable[[str], str]] = {
    "story": lambda _: html.story(),
    "course": lambda _: html.course(),
    "lesson": lambda name: html.lesson_page(lesson_named(name)),
    "glossary": lambda _: html.glossary(),
    "picture": picture,
}


def make_body(asked: tuple[str, str]) -> bytes:
    """A page or picture, compressed."""
    kind, name = asked
    return gzip.compress(MAKERS[kind](name).encode(), mtime=0)


_bodies: Once[tuple[str, str], bytes] = Once(make_body, most=128)


class Ready(RequestHandler):
    """Sends one kind of page; what is not there yet is made on a thread, so that nobody waits for it."""

    def initialize(self, kind: str, of: str = "text/html; charset=utf-8") -> None:
        """Which kind, and what it is."""
        self.kind, self.of = kind, of

    async def get(self, name: str = "") -> None:
        """The page."""
        try:
            body = _bodies.ready((self.kind, name)) or await asyncio.to_thread(_bodies, (self.kind, name))
        except Refused as refused:
            self.set_status(404)
            self.finish(html.refusal(str(refused)))
            return
        self.set_header("Content-Type", self.of)
        self.set_header("Cache-Control", "max-age=300")
        self.set_header("Vary", "Accept-Encoding")
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
        else:
            body = gzip.decompress(body)
        self.finish(body)


class Onward(RequestHandler):
    """Leads to another page."""

    def initialize(self, to: str) -> None:
        """Where to."""
        self.to = to

    def get(self) -> None:
        """The way there, with what the address asks for."""
        asked = self.request.query
        self.redirect(self.to + (f"?{asked}" if asked else ""))


def patterns(with_story: bool) -> list[tuple[Any, ...]]:
    """What the server answers besides the app's pages; without the story the root leads to the workbench."""
    root = (r"/", Ready, {"kind": "story"}) if with_story else (r"/", Onward, {"to": "studio"})
    return [
        root,
        (r"/learn", Onward, {"to": "learn/"}),
        (r"/learn/", Ready, {"kind": "course"}),
        (r"/learn/([a-z0-9-]+)", Ready, {"kind": "lesson"}),
        (r"/glossary", Ready, {"kind": "glossary"}),
        (r"/picture/([a-z0-9-]+)\.svg", Ready, {"kind": "picture", "of": "image/svg+xml"}),
    ]


@lru_cache(maxsize=1)
def get_ready() -> None:
    """Have the story ready before the first visitor."""
    _bodies(("story", ""))


__all__ = ["get_ready", "patterns"]
