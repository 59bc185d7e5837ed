"""What a job hands out: events that are light enough to travel, and faults as one sentence."""

from dataclasses import replace

from explorer.engine.events import Event, Step, bare
from explorer.engine.refusals import OracleFault, Refused


def light(event: Event) -> Event:
    """The event as it travels to a page: a step without its keyframe and its cuts' feature vectors."""
    if not isinstance(event, Step):
        return event
    return replace(event, state={}, cuts=bare(event.cuts))


def sentence_of(fault: Exception) -> str:
    """A fault as one sentence: ours explain themselves, others are named."""
    known = isinstance(fault, Refused | OracleFault | ArithmeticError)
    return str(fault) if known else f"the run broke with {type(fault).__name__}: {str(fault)[:200]}"


__all__ = ["light", "sentence_of"]
