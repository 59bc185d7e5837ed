"""Colours for states: hues that colour-blind eyes tell apart, true to states that are named after colours.

A state that means "nothing here" is pale. Colour is never alone: nodes also carry the beginning of their
state's name.
"""

from collections.abc import Sequence

from explorer.views.kit.drawing.theme import Theme

NOTHING = ("off", "blank", "background")
"""Names of states that are drawn pale, and without a letter."""

NAMED = {
    "red": "#d55e00",
    "green": "#2fae86",
    "blue": "#0b62a4",
    "yellow": "#f0e442",
    "orange": "#e69f00",
    "purple": "#b5568f",
    "pink": "#e39bd0",
    "black": "#222222",
    "grey": "#8a929c",
    "white": "#f4f4f4",
}
HUES = ("#0b62a4", "#e69f00", "#2fae86", "#b5568f", "#6cc0f0", "#d55e00", "#f0e442", "#8a929c")
"""Those of Okabe and Ito (2008), some darker or lighter so that neighbours also differ in lightness."""


def fills(states: Sequence[str], theme: Theme) -> list[str]:
    """One fill for each state."""
    dark = theme.name == "dark"
    pale, ink = ("#343c46", "#d5dae0") if dark else ("#e6e9ed", "#39424e")
    free = iter(HUES * (len(states) // len(HUES) + 1))
    out = []
    for state in states:
        known = {"ink": ink, **NAMED} | dict.fromkeys(NOTHING, pale)
        out.append(known[state.lower()] if state.lower() in known else next(free))
    return out


def ink_on(fill: str) -> str:
    """Black or white, whichever is read better on a fill."""
    parts = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else "#ffffff"


def marks(states: Sequence[str]) -> tuple[str, ...]:
    """The shortest beginnings, of at most three letters, that tell the states apart."""
    out = []
    for s, name in enumerate(states):
        others = [other for t, other in enumerate(states) if t != s and other not in NOTHING]
        size = next((k for k in (1, 2, 3) if not any(other[:k] == name[:k] for other in others)), 3)
        out.append("" if name in NOTHING else name if len(name) <= 2 else name[:size])
    return tuple(out)
