"""What the flowchart shows at one call."""

import pytest

from explorer.engine.hooks.calls import HookCall
from explorer.labs.hooks.state import MOST_CALLS, STAGES, HookLab, shorten
from explorer.views.hook_flow.frame import flow_frame
from explorer.views.hook_flow.view import HookFlow
from explorer.views.hook_flow.words import flow_sentence, flow_table


@pytest.mark.spec("D48")
def test_the_box_that_is_lit_is_that_of_the_call() -> None:
    lab = HookLab()
    film = lab.film
    for step in range(0, len(film), 7):
        frame = flow_frame(film, step)
        box = next(box for box in frame.boxes if box.name == frame.lit)
        assert film.calls[step].hook in box.hooks
        assert sum(frame.counts.values()) == sum(c.program == frame.program for c in film.calls[: step + 1])


def test_another_module_is_shown_from_its_beginning() -> None:
    lab = HookLab()
    lab.look_at_step(50)
    lab.stage = list(STAGES)[2]
    assert lab.step == 0
    assert "init_constraints" in flow_frame(lab.film, 0).there
    assert "Range of sm.w" in lab.film.printed


def test_the_picture_follows_the_step() -> None:
    lab = HookLab()
    view = HookFlow(lab)
    fills = []
    for step in (0, 1, len(lab.film) - 1):
        lab.look_at_step(step)
        view.refresh()
        fills.append([k for k, fill in enumerate(view.boxes.data["fill"]) if fill == view.theme.accent])
    assert fills[0] != fills[1]
    assert all(len(lit) == 1 for lit in fills)
    assert flow_sentence(view.frame()).startswith(f"Call {len(lab.film)} of {len(lab.film)}: The classifier")
    assert flow_table(view.frame())["defined"].count("default") > 0
    view.close()


def test_a_long_log_keeps_its_beginning_and_its_end() -> None:
    calls = [HookCall("learn", f"h{k}") for k in range(5000)]
    found = shorten(calls)
    assert len(found) == MOST_CALLS // 2
    assert (found[0], found[-1]) == (calls[0], calls[-1])
