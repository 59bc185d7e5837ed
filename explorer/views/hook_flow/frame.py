"""What the flowchart shows at one call: the boxes of its program, how often each was called, and which
one now.
"""

from collections import Counter
from dataclasses import dataclass

from explorer.engine.hooks.flow import ARROWS, CHARTS, FlowBox
from explorer.labs.hooks.state import HookFilm


@dataclass(frozen=True, slots=True)
class FlowFrame:
    """The program, its boxes and arrows, the box that is lit, and how often each was called so far."""

    program: str
    boxes: tuple[FlowBox, ...]
    arrows: tuple[tuple[FlowBox, FlowBox], ...]
    lit: str
    counts: dict[str, int]
    there: frozenset[str]
    step: int
    steps: int


def flow_frame(film: HookFilm, step: int) -> FlowFrame:
    """The chart at a call; `there` are the boxes whose hook the module defines, or that are the engine's."""
    program = film.calls[step].program
    boxes = CHARTS[program]
    named = {box.name: box for box in boxes}
    so_far = [
        box for call, box in zip(film.calls[: step + 1], film.boxes, strict=False) if call.program == program
    ]
    there = frozenset(
        box.name for box in boxes if "solve" in box.hooks or film.defined.intersection(box.hooks)
    )
    return FlowFrame(
        program,
        boxes,
        tuple((named[a], named[b]) for a, b in ARROWS[program] if a != b),
        film.boxes[step],
        dict(Counter(so_far)),
        there,
        step,
        len(film),
    )
