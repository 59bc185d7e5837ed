"""Numbers, settings and verdicts as short text, the same in every subcommand.

Text that comes from a file is shown with its control characters replaced: a terminal obeys them.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.engine.knobs import Knob, knobs
from explorer.engine.runs.trace import Trace

UNKNOWN = "-"


def number(value: float, digits: int = 6) -> str:
    """The number with this many digits; a dash when it is not known."""
    return UNKNOWN if math.isnan(value) else f"{value:.{digits}g}"


def clean(text: Any) -> str:
    """The text with everything that is not printable replaced, cut to a sensible length."""
    shown = "".join(c if c.isprintable() else "?" for c in str(text))
    return shown if len(shown) <= 300 else shown[:297] + "..."


def pairs(settings: Mapping[str, Any]) -> str:
    """Settings as they are typed on the command line."""
    return ", ".join(f"{clean(name)}={clean(short(value))}" for name, value in settings.items())


def short(value: Any) -> Any:
    """Floats without a trailing .0, yes and no, everything else as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else value


def setting_lines(record: Any) -> Iterator[str]:
    """One line for every setting of a record: name, its value (of a type: the default), meaning and range."""
    for name, default, knob in knobs(record):
        value = default if isinstance(record, type) else getattr(record, name)
        yield f"{name}={short(value)}: {knob.help}{limits(knob)}"


def limits(knob: Knob) -> str:
    """What a setting may be, in brackets."""
    if knob.choices:
        return f" [{', '.join(knob.choices)}]"
    if knob.low is None and knob.high is None:
        return ""
    if knob.high is None:
        return f" [at least {knob.low:g}]"
    return f" [{knob.low:g} to {knob.high:g}]" if knob.low is not None else f" [at most {knob.high:g}]"


def last_known(trace: Trace, name: str) -> tuple[int, float]:
    """The last step at which a figure is known, and the figure; (-1, NaN) when it never was."""
    column = trace.column(name)
    for at in range(len(column) - 1, -1, -1):
        if not math.isnan(column[at]):
            return at, float(column[at])
    return -1, math.nan


def verdict(trace: Trace) -> str:
    """The bounds of the last step whose objective is known, and what they prove."""
    at, primal = last_known(trace, "primal")
    if at < 0:
        dual = last_known(trace, "dual")[1]
        return f"primal -, dual {number(dual)}: no upper bound is known"
    dual = float(trace.column("dual")[at])
    gap = number(relative(primal, dual), 3)
    begun = trace.start_of(at)
    named = f" of the {clean(begun.objective)}" if begun and begun.objective else ""
    found = f"primal {number(primal, 8)}, dual {number(dual, 8)}{named}, relative gap {gap}"
    if math.isnan(dual):
        return f"{found}: no certificate, this learner knows no lower bound"
    if not trace.certified(at):
        return f"{found}: no certificate, {clean(trace.doubt(at))}"
    what = "the oracle is" if begun is None or begun.measures_slack else "its values are"
    return f"{found}: a certificate, {what} exact"


def relative(primal: float, dual: float) -> float:
    """(primal - dual) / |primal|."""
    gap = primal - dual
    return 0.0 if gap == 0.0 else gap / abs(primal) if primal else math.inf
