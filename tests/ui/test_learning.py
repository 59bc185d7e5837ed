"""Story and lessons in a real browser: they play, reveal and check without any session."""

import re

from playwright.sync_api import Page, expect

from explorer.dashboards.learn.course import lessons


def test_the_story_plays_and_leads_to_the_course(page: Page, server: str) -> None:
    page.goto(server + "/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Which wrong answer is the most tempting?")
    figure = page.locator("figure.film")
    expect(figure.locator(".count")).to_have_text(re.compile("^Step 0 of"))
    figure.get_by_role("button", name="Play").click()
    expect(figure.locator(".count")).not_to_have_text(re.compile("^Step 0 of"))
    figure.get_by_role("button", name="Pause").click()
    figure.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(figure.locator(".words")).to_contain_text("all 6 positions right")
    page.get_by_role("link", name=re.compile("Take the course")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The course")


def test_every_lesson_is_walked_through_by_keyboard_and_mouse(page: Page, server: str) -> None:
    page.goto(f"{server}/learn/{lessons()[0].name}")
    for lesson in lessons():
        expect(page.get_by_role("heading", level=1)).to_have_text(lesson.title)
        for n, section in enumerate(lesson.sections):
            page.locator("section").nth(n).evaluate("part => part.scrollIntoView({block: 'start'})")
            shown = page.locator("section.here h2")
            expect(shown).to_have_text(section.heading)
            count = page.locator("figure.film:not([hidden]) .count")
            expect(count).to_contain_text(f"Step {section.scene.step} ")
        for question in page.locator(".question").all():
            question.locator("button[data-right=no]").first.click()
            expect(question.locator(".said")).to_contain_text("✗")
            question.locator("button[data-right=yes]").focus()
            page.keyboard.press("Enter")
            expect(question.locator(".said")).to_contain_text("✓")
        onward = page.locator(".onward a").last
        onward.focus()
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The course")


def test_an_exercise_is_done_in_the_live_page(page: Page, server: str) -> None:
    page.goto(f"{server}/learn/duality")
    exercise = page.locator(".exercise")
    exercise.evaluate("part => part.closest('section').scrollIntoView({block: 'start'})")
    page.get_by_role("button", name="Make it live").click()
    live = page.frame_locator("iframe")
    live.get_by_role("tab", name="Working set").click()
    expect(exercise.locator(".said")).to_contain_text("✓")
    page.reload()
    expect(page.locator(".exercise .said")).to_contain_text("✓")
