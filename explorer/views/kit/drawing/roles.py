"""The three answers that pictures of one example show, each with a colour, a dash and a marker of its own."""

ROLES = ("truth", "guess", "most tempting")

ROLE_LOOK = {
    "truth": ("truth", "solid", "square"),
    "guess": ("guess", "dashed", "circle"),
    "most tempting": ("rival", "dotted", "triangle"),
}
"""Of each answer its colour in the theme, its dash and its marker."""

__all__ = ["ROLES", "ROLE_LOOK"]
