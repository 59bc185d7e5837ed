"""What the picture of a program says."""

from explorer.views.program_plane.frame import ProgramFrame

ENDINGS = {
    "nofeas": "No point satisfies all rows.",
    "unbnd": "The objective grows without end: nothing holds it back.",
    "undef": "The solver cannot tell whether there is an optimum.",
}


def plane_sentence(frame: ProgramFrame) -> str:
    """The optimum, its duals, and what whole numbers cost."""
    if frame.status != "opt":
        return ENDINGS.get(frame.status, ENDINGS["undef"])
    x, y = frame.relaxed
    corners = max(0, len(frame.picture.walk) - 1)
    told = (
        f"The optimum {frame.value:.4g} is at x0 = {x:.4g}, x1 = {y:.4g}, after {corners} edges. A unit "
        f"more room would be worth {frame.duals[0]:.4g} in row y0 and {frame.duals[1]:.4g} in row y1."
    )
    if not frame.asked_whole:
        return told
    if frame.whole_value != frame.whole_value:
        return f"{told} No whole numbers satisfy all rows."
    a, b = frame.whole
    return f"{told} In whole numbers it is {frame.whole_value:.4g}, at x0 = {a:.0f}, x1 = {b:.0f}."
