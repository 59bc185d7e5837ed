"""A film as a moving image: each step a picture of fixed size, drawn in the light theme.

The pictures of a step are laid out in one SVG, which resvg paints and Pillow joins. Colours that pages
give as CSS variables are written out.
"""

import io
import re
from html import escape

from PIL import Image
from resvg_py import svg_to_bytes

from explorer.player.recording import FilmStep, RunFilm
from explorer.player.web_page import has_panels
from explorer.views.kit.drawing.theme import LIGHT

WIDE, HIGH, EDGE = 960, 540, 32
PACE, REST = 420, 2400
"""Milliseconds that a step is shown, and the last one."""

ROLES = {
    "seen": ("Given", "muted"),
    "truth": ("Truth", "truth"),
    "guess": ("The machine's guess", "guess"),
    "tempting": ("Most tempting wrong answer", "rival"),
}
SIZE = re.compile(r"width='([\d.]+)' height='([\d.]+)'")
VARIABLE = re.compile(r"var\(--([a-z]+)\)")
FONTS = "DejaVu Sans, Noto Sans, Liberation Sans, Arial, Helvetica, Segoe UI"
LETTERS = 84
"""Letters of a line of words."""


def file_of(film: RunFilm) -> bytes:
    """The film as a GIF that repeats."""
    frames = [paint(svg_of(film, step)) for step in film.steps]
    out = io.BytesIO()
    frames[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[*[PACE] * (len(frames) - 1), REST],
        loop=0,
        optimize=True,
    )
    return out.getvalue()


def paint(drawn: str) -> Image.Image:
    """An SVG as a picture of few colours."""
    whole = Image.open(io.BytesIO(bytes(svg_to_bytes(svg_string=drawn, background="#ffffff"))))
    return whole.convert("RGB").quantize(64)


def svg_of(film: RunFilm, step: FilmStep) -> str:
    """One step as a whole picture: title, answers, sentence and how far the film has come."""
    shown = {"seen": film.seen, "truth": film.pictures[film.truth], "guess": film.pictures[step.guess]}
    shown["tempting"] = "" if step.tempting is None else film.pictures[step.tempting]
    place = panel_places(shown) if has_panels(film) else row_places(shown)
    parts = "".join(f"{label(role, x, y)}{put_inside(shown[role], *box)}" for role, x, y, *box in place)
    parts += "".join(
        f"<text x='{EDGE}' y='{HIGH - 92 + 26 * n}' font-size='20'>{escape(line)}</text>"
        for n, line in enumerate(lines_of(step.words)[:2])
    )
    share = (film.steps.index(step) + 1) / len(film.steps)
    parts += f"<rect x='{EDGE}' y='{HIGH - 24}' width='{WIDE - 2 * EDGE}' height='8' fill='{LIGHT.grid}'/>"
    parts += f"<rect x='{EDGE}' y='{HIGH - 24}' width='{share * (WIDE - 2 * EDGE):.0f}' height='8' "
    parts += f"fill='{LIGHT.accent}'/>"
    title = f"<text x='{EDGE}' y='44' font-size='28' font-weight='600'>{escape(film.title)}</text>"
    look = f"font-family='{FONTS}' fill='{LIGHT.text}'"
    box = f"width='{WIDE}' height='{HIGH}' viewBox='0 0 {WIDE} {HIGH}'"
    whole = f"<svg xmlns='http://www.w3.org/2000/svg' {box} {look}>{title}{parts}</svg>"
    return VARIABLE.sub(lambda found: getattr(LIGHT, found[1]), whole)


def row_places(shown: dict[str, str]) -> list[tuple[str, float, float, float, float, float, float]]:
    """Role, place of its name, and the box of its picture, in rows below each other."""
    step = (HIGH - 190) / len(shown)
    return [
        (role, EDGE, 80 + (n + 0.5) * step, EDGE + 240, 80 + n * step + 6, WIDE - 2 * EDGE - 240, step - 12)
        for n, role in enumerate(shown)
    ]


def panel_places(shown: dict[str, str]) -> list[tuple[str, float, float, float, float, float, float]]:
    """The same side by side."""
    wide = (WIDE - 2 * EDGE) / len(shown)
    return [
        (role, EDGE + n * wide, 92, EDGE + n * wide, 110, wide - 16, HIGH - 250)
        for n, role in enumerate(shown)
    ]


def label(role: str, x: float, y: float) -> str:
    """The name of a role in its colour."""
    words, colour = ROLES[role]
    size = 15 if len(words) > 12 else 18
    return (
        f"<text x='{x:.0f}' y='{y:.0f}' font-size='{size}' font-weight='600' fill='var(--{colour})' "
        f"dominant-baseline='central'>{words}</text>"
    )


def put_inside(picture: str, x: float, y: float, wide: float, high: float) -> str:
    """A picture inside a box, as large as it fits, at the left."""
    found = SIZE.search(picture)
    if found is None:
        return ""
    scale = min(wide / float(found[1]), high / float(found[2]), 2.0)
    size = f"x='{x:.1f}' y='{y + (high - scale * float(found[2])) / 2:.1f}' "
    size += f"width='{scale * float(found[1]):.1f}' height='{scale * float(found[2]):.1f}'"
    return SIZE.sub(size, picture, count=1)


def lines_of(words: str) -> list[str]:
    """A sentence in lines."""
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) > LETTERS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


__all__ = ["file_of", "svg_of"]
