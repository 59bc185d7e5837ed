"""The studio as a person uses it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.ui.settling import drawn, settled

SMALL = "?v=1&task=digit-words&data.n=30&data.n_test=10&set.C=5"


def opened(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("p.run")).to_contain_text("Stopped")


def status(page: Page) -> str:
    return page.locator("p.run").inner_text()


def steps(page: Page) -> tuple[int, int]:
    expect(page.locator("p.run")).to_contain_text(re.compile(r"Step \d+ of \d+"))
    found = re.search(r"Step (\d+) of (\d+)", status(page))
    assert found, status(page)
    return int(found[1]), int(found[2])


def test_the_first_page_shows_a_finished_run_with_its_certificate(page: Page, server: str) -> None:
    opened(page, server + "/studio")
    expect(page.locator("p.run")).to_contain_text("Stopped: the relative gap")
    expect(page.locator(".step-caption")).to_contain_text(
        re.compile(r"proved to be within [\d.]+% of the best")
    )
    assert page.locator("canvas").count() > 0


def test_play_runs_to_convergence_and_says_why_it_stopped(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    page.locator("body").press("r")
    expect(page.locator("p.run")).to_contain_text("Ready")
    page.get_by_role("combobox", name="Speed").click()
    page.get_by_role("option", name="flat out").click()
    page.get_by_role("button", name=re.compile("^Play")).first.click()
    expect(page.locator("p.run")).to_contain_text("Stopped: the relative gap")
    at, last = steps(page)
    assert at == last > 20


def test_stepping_back_and_keys_travel_through_the_run(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    _, last = steps(page)
    page.get_by_role("button", name=re.compile("^Back")).click()
    expect(page.locator("p.run")).to_contain_text(f"Step {last - 1} of {last}")
    page.locator("body").press("ArrowLeft")
    expect(page.locator("p.run")).to_contain_text(f"Step {last - 2} of {last}")
    page.locator("body").press("ArrowRight")
    expect(page.locator("p.run")).to_contain_text(f"Step {last - 1} of {last}")


def test_phases_are_named_one_after_the_other_and_end_at_the_next_step(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL + "&cursor=5")
    _, last = steps(page)
    for name in ("Find most tempting", "Add cut", "Solve again", "Update bounds"):
        page.get_by_role("button", name=name).first.click()
    expect(page.locator("p.run")).to_contain_text(f"Step 6 of {last}")


def test_changing_c_keeps_the_run_and_marks_the_moment(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    _, before = steps(page)
    slider = (
        page.get_by_label(re.compile("price of slack"))
        .locator("input")
        .or_(page.locator("input[aria-label*='price of slack']"))
    )
    slider.first.focus()
    page.keyboard.press("ArrowRight")
    ended = re.compile(rf"Stopped.* of (?!{before}\b)\d")
    expect(page.locator("p.run")).to_contain_text(ended)
    _, after = steps(page)
    assert after > before


def test_typing_does_not_trigger_keys(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    _, last = steps(page)
    page.get_by_role("button", name="More settings").click()
    seed = page.get_by_label("seed").and_(page.locator("input")).first
    seed.click()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name=re.compile("^Back")).click()
    expect(page.locator("p.run")).not_to_contain_text(f"Step {last} of")
    assert steps(page) == (last - 1, last), "the button goes back, the key does not"


def test_the_trellis_plays_the_recursion_with_its_numbers(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL + "&view=trellis")
    page.get_by_role("button", name="Next cell").click()
    page.get_by_role("button", name="Next cell").click()
    expect(page.get_by_text(re.compile(r"chi|χ")).first).to_be_visible()


def test_the_address_reproduces_the_page(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    for _ in range(3):
        page.get_by_role("button", name=re.compile("^Back")).click()
    _, last = steps(page)
    expect(page.locator("p.run")).to_contain_text(f"Step {last - 3} of {last}")
    page.wait_for_url(re.compile(f"cursor={last - 3}"))
    other = page.context.new_page()
    opened(other, page.url)
    assert steps(other) == (last - 3, last)
    told = page.locator(".view-sentence p").first.inner_text()
    assert told
    expect(other.locator(".view-sentence p").first).to_have_text(told)


def test_a_bad_link_is_reported_and_the_page_goes_on(page: Page, server: str) -> None:
    opened(page, server + "/studio?v=1&task=nothing&set.C=many")
    expect(page.get_by_text("there is no task 'nothing'")).to_be_visible()
    expect(page.get_by_text("C is 'many'; give a number")).to_be_visible()


@pytest.mark.parametrize("kind", ["PNG", pytest.param("SVG", marks=pytest.mark.slow)])
def test_a_view_is_saved_in_the_browser(page: Page, server: str, kind: str, tmp_path: Path) -> None:
    opened(page, server + "/studio" + SMALL + "&view=bounds")
    drawn(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=f"Save Bounds as {kind}").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG") if kind == "PNG" else b"<svg" in data[:500]
    assert len(data) > 2000


@pytest.mark.slow
def test_all_figures_of_a_view_are_saved_as_one_picture(page: Page, server: str, tmp_path: Path) -> None:
    opened(page, server + "/studio" + SMALL + "&view=working_set")
    button = page.get_by_role("button", name="Save Working set as SVG")
    button.wait_for()

    def saved() -> str:
        with page.expect_download() as waiting:
            button.click()
        waiting.value.save_as(tmp_path / "both.svg")
        return (tmp_path / "both.svg").read_text()

    text = settled(page, saved)
    assert text.count("<svg") == 3, "two figures side by side in one"
    assert "iteration" in text
    assert "example" in text


@pytest.mark.slow
def test_the_dark_theme_restyles_the_page(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL + "&theme=dark")
    expect(page.locator("body")).to_have_css("background-color", re.compile(r"rgb\((\d|[1-5]\d), "))


def test_learners_race_side_by_side(page: Page, server: str) -> None:
    page.goto(server + "/race")
    page.get_by_role("button", name=re.compile("^Play")).first.click()
    expect(page.get_by_text("Standings", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("lowest objective"))).to_be_visible()


def test_the_path_is_traced_from_its_tab_and_answers_at_other_values_of_c(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    page.get_by_role("tab", name="Path").click()
    told = page.locator(".view-sentence").filter(has_text="at every C from")
    expect(told).to_contain_text("a gap of at most 2.0%")
    expect(told).to_contain_text("At C = 5")


def test_the_pointer_takes_all_views_to_a_step_and_back_and_a_click_stays(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL + "&view=bounds")
    _, last = steps(page)
    box = settled(page, lambda: page.locator(".view-card").first.bounding_box())
    assert box
    place = box["x"] + 0.35 * box["width"], box["y"] + 0.65 * box["height"]
    page.mouse.move(place[0] - 30, place[1])
    page.mouse.move(*place, steps=3)
    expect(page.locator("p.run")).not_to_contain_text(f"Step {last} of {last}")
    glanced, _ = settled(page, lambda: steps(page))
    assert 0 < glanced < last
    page.mouse.move(5, 5)
    expect(page.locator("p.run")).to_contain_text(f"Step {last} of {last}")
    page.mouse.click(*place)
    expect(page.locator("p.run")).to_contain_text(f"Step {glanced} of {last}")
    page.mouse.move(5, 5)
    page.locator("body").press("ArrowRight")
    expect(page.locator("p.run")).to_contain_text(f"Step {glanced + 1} of {last}")


def test_dragging_along_the_film_strip_travels_through_the_run(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    _, last = steps(page)
    strip = page.get_by_role("slider", name="Step")
    box = settled(page, strip.bounding_box)
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.9 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], middle, steps=4)
    page.mouse.up()
    half = int(0.5 * (last + 1))
    expect(strip).to_have_attribute("aria-valuenow", str(half))
    expect(page.locator("p.run")).to_contain_text(f"Step {half} of {last}")
    strip.press("Home")
    expect(page.locator("p.run")).to_contain_text(f"Step 0 of {last}")
    expect(page.locator(".step-caption")).to_contain_text("Step 0: the machine reads")


def test_the_sum_opens_beside_the_picture_and_closes_again(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    expect(page.locator(".formulas")).to_have_count(0)
    page.get_by_role("button", name="Show the sum").click()
    expect(page.locator(".formulas").first).to_contain_text("Objective (primal)")
    page.get_by_role("button", name="Show the sum").click()
    expect(page.locator(".formulas").first).to_be_hidden()


def test_few_settings_are_there_at_first_and_all_others_on_request(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    for name in ("Task", "Learner", "Loss"):
        expect(page.get_by_role("combobox", name=name)).to_be_visible()
    expect(page.get_by_label(re.compile("price of slack")).first).to_be_visible()
    expect(page.get_by_text("Examples", exact=True)).to_have_count(1)  # the tab
    page.get_by_role("button", name="More settings").click()
    for name in ("Data", "Objective", "Stopping", "Files"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()


def test_no_tab_is_ever_blank(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_text(
        [
            "Sequence",
            "Trellis",
            "Bounds",
            "Loss",
            "Working set",
            "Weights",
            "Examples",
            "Runs",
            "Risk slice",
            "Surface",
            "Path",
        ]
    )
    for name in tabs.all_inner_texts():
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        expect(page.locator(".skeleton:visible, .view-sentence:visible").first).to_be_visible()
        expect(page.locator(".view-sentence:visible")).to_have_count(1)


def test_play_shows_the_recorded_steps_and_loses_none(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL + "&cursor=20&speed=20.0")
    expect(page.locator("p.run")).to_contain_text("Step 20 of")
    _, last = steps(page)
    assert last > 20
    page.get_by_role("button", name=re.compile("^Play")).first.click()
    expect(page.locator("p.run")).to_contain_text(f"Step {last} of {last}")
    expect(page.get_by_role("button", name=re.compile("^Play")).first).to_be_visible()
    page.locator("body").press(" ")
    expect(page.locator("p.run")).to_contain_text(re.compile(f"Step [0-9] of {last}"))
    page.locator("body").press(" ")
    assert steps(page)[1] == last


def test_training_again_can_be_undone(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL + "&cursor=7")
    _, last = steps(page)
    page.get_by_role("button", name=re.compile("^Train again")).click()
    expect(page.locator("p.run")).to_contain_text(re.compile("Training.*Step [0-9]+ of [0-9]"))
    page.get_by_role("button", name=re.compile("^Undo")).click()
    expect(page.locator("p.run")).to_contain_text(f"Step 7 of {last}")
    page.get_by_role("button", name=re.compile("^Redo")).click()
    expect(page.locator("p.run")).not_to_contain_text(f"of {last}")


@pytest.mark.slow
def test_presenting_fills_the_screen_in_large_type_and_a_clicker_turns_the_steps(
    page: Page, server: str
) -> None:
    opened(page, server + "/studio" + SMALL + "&cursor=3")
    caption = page.locator(".step-caption p")
    expect(caption).to_have_css("font-size", "20px")
    page.get_by_role("button", name="Present").click()
    expect(caption).to_have_css("font-size", "28px")
    page.keyboard.press("PageDown")
    expect(caption).to_contain_text("Step 4:")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    expect(caption).to_contain_text("Step 2:")
    page.get_by_role("button", name="Leave").click()
    expect(caption).to_have_css("font-size", "20px")


def test_nothing_later_than_the_phase_is_drawn(page: Page, server: str) -> None:
    opened(page, server + "/studio" + SMALL + "&cursor=5")
    lengths = "(strip) => strip.querySelector('path.upper').getAttribute('d').split(/[ML]/).length - 1"
    strip = page.get_by_role("slider", name="Step")
    _, last = steps(page)
    assert strip.evaluate(lengths) == last + 1
    page.get_by_role("button", name="Find most tempting").click()
    expect(page.locator(".step-caption")).to_contain_text("On the way to step 6. Find most tempting")
    assert settled(page, lambda: strip.evaluate(lengths)) == 6
