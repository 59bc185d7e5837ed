"""How numbers and counts are written, on pages and in films alike."""

from typing import Any

NOISE = 1e-12
"""What is smaller than this is what rounding leaves of 0."""


def number(value: Any) -> str:
    """A figure as a person writes it: four significant digits, words for what is unknown."""
    if isinstance(value, float):
        return "unknown" if value != value else "0" if abs(value) < NOISE else f"{value:,.4g}"
    return str(value)


def percent(share: float) -> str:
    """A share in hundredths, with two significant digits."""
    return f"{float(f'{100 * share:.2g}'):g}%"


def as_sentence(reason: str) -> str:
    """A reason as a sentence."""
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."


def with_sign(value: float) -> str:
    """A number with its sign."""
    return f"{value:+.4g}".replace("-", "−")


def quantity(count: float, thing: str) -> str:
    """A number and its noun."""
    return f"{count:,.0f} {thing}{'' if count == 1 else 's'}"
