"""Where the time goes, in words."""

from typing import Any

from explorer.views.times.frame import TimesFrame
from explorer.wording import number, percent


def sentence(shown: TimesFrame) -> str:
    """How long training took, and which part of it the oracle."""
    oracle, rest = shown.totals
    if not oracle + rest:
        return "Nothing trained yet: press play, and the seconds of each step appear here."
    drawing = f" Drawing it here took {number(shown.drawn)} s." if shown.drawn else ""
    return (
        f"{number(oracle + rest)} s of training: {percent(oracle / (oracle + rest))} in the oracle, "
        f"{percent(rest / (oracle + rest))} in quadratic programs, features and updates.{drawing}"
    )


def table(shown: TimesFrame) -> dict[str, Any]:
    """The bars as columns."""
    return {
        "from step": shown.first.astype(int),
        "to step": shown.last.astype(int),
        "oracle, ms": shown.oracle,
        "rest, ms": shown.rest,
    }
