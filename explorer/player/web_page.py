"""Films as HTML: a figure for a page of ours, and a page of its own that needs neither server nor network."""

import json
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any

from explorer.player.recording import RunFilm
from explorer.views.kit.drawing.theme import THEMES, TYPE, Theme

NAMES = ("text", "muted", "grid", "panel", "background", "truth", "guess", "rival", "accent")


@lru_cache
def asset(name: str) -> str:
    """A script or style sheet of the player."""
    return (files("explorer.player") / "web" / name).read_text(encoding="utf-8")


def as_json(value: Any) -> str:
    """JSON that can stand inside a script element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def figure(film: RunFilm) -> str:
    """The film as an element that the player fills."""
    kind = "film panels" if has_panels(film) else "film"
    label = escape(film.title or "A recorded run", quote=True)
    data = f"<script type='application/json'>{as_json(film.plain())}</script>"
    return f"<figure class='{kind}' aria-label='{label}'>{data}</figure>"


def has_panels(film: RunFilm) -> bool:
    """Whether the answers are pictures about as high as wide, which stand side by side."""
    head = film.pictures[film.truth].partition(">")[0]
    wide, high = (float(head.partition(f" {side}='")[2].partition("'")[0]) for side in ("width", "height"))
    return high > 0.5 * wide


def colours(theme: Theme) -> str:
    """A theme as CSS variables."""
    sizes = {f"type-{name}": f"{both[theme.name == 'projector']}px" for name, both in TYPE.items()}
    values = {name: getattr(theme, name) for name in NAMES} | sizes
    return "".join(f"--{name}:{value};" for name, value in values.items())


def theme_styles() -> str:
    """The three themes: light, dark where the visitor's system is dark, or as the page's root says."""
    named = "".join(f":root[data-theme={name}]{{{colours(theme)}}}" for name, theme in THEMES.items())
    dark = f"@media (prefers-color-scheme: dark){{:root{{{colours(THEMES['dark'])}}}}}"
    return f":root{{{colours(THEMES['light'])}}}{dark}{named}"


def standalone(film: RunFilm, words: Mapping[str, str] | None = None) -> str:
    """A whole page with one film, for any web host or a folder on a disk."""
    title = escape(film.title or "A recorded run")
    on = (
        f"<p><a href='{escape(film.link, quote=True)}'>Go on from here in the explorer</a></p>"
        if film.link
        else ""
    )
    said = f"<script>window.FILM_WORDS={as_json(dict(words))}</script>" if words else ""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{title}</title><style>{theme_styles()}{PAGE}{asset('player.css')}</style></head>"
        f"<body><main><h1>{title}</h1>{figure(film)}{on}</main>{said}<script>{asset('player.js')}</script>"
        "</body></html>"
    )


def file_of(film: RunFilm) -> bytes:
    """The page as a file."""
    return standalone(film).encode()


PAGE = (
    "body{margin:0;background:var(--background);color:var(--text);font:16px/1.5 system-ui,sans-serif}"
    "main{max-width:1080px;margin:0 auto;padding:24px}h1{font-size:28px;line-height:1.25;margin:0 0 20px}"
    "a{color:var(--guess)}"
)

__all__ = ["as_json", "asset", "figure", "file_of", "standalone", "theme_styles"]
