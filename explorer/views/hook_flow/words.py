"""What the flowchart says."""

from explorer.views.hook_flow.frame import FlowFrame
from explorer.wording import quantity

PROGRAMS = {"learn": "The learner", "classify": "The classifier"}


def flow_sentence(frame: FlowFrame) -> str:
    """Which hook is called now, and what it is for."""
    box = next(box for box in frame.boxes if box.name == frame.lit)
    who = PROGRAMS[frame.program]
    doing = "solves" if box.name == "solve" else f"calls {box.name}"
    times = quantity(frame.counts[box.name], "time")
    return f"Call {frame.step + 1} of {frame.steps}: {who} {doing} - {box.told}; so far {times}."


def flow_table(frame: FlowFrame) -> dict[str, list[object]]:
    """Every box with how often it was called."""
    return {
        "box": [box.name for box in frame.boxes],
        "what for": [box.told for box in frame.boxes],
        "calls": [frame.counts.get(box.name, 0) for box in frame.boxes],
        "defined": ["yes" if box.name in frame.there else "default" for box in frame.boxes],
    }
