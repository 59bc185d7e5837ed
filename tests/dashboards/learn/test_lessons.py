"""The course: every lesson can be shown, its figures come from runs, its links and scenes lead somewhere."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from explorer.dashboards.learn import html
from explorer.dashboards.learn.course import fill_facts, folder_of, lesson_named, lessons, scene_run
from explorer.dashboards.learn.lesson import Exercise, Lesson, QuizQuestion, Scene, read_lesson
from explorer.dashboards.studio.link import LAYOUT, read
from explorer.engine.refusals import Refused
from explorer.session.links.recipes import recipe_parts
from explorer.views.kit.words.glossary import GLOSSARY, SYMBOLS

LESSONS = lessons()
each = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
GIVEN = re.compile(r"\{\{[^}]*\}\}|^    .*$|\b1\b|½|\b0\b|t−1|−1|\+1|step 20|step 4\b", re.MULTILINE)
"""Figures of a run, formulas, and the few numbers that are definitions or name a step of the scene."""


def test_there_is_a_course_in_order() -> None:
    assert 12 <= len(LESSONS) <= 16
    assert [path.name[:2] for path in sorted(folder_of("en").glob("*.md"))] == [
        f"{n:02}" for n in range(1, len(LESSONS) + 1)
    ]
    assert len({lesson.name for lesson in LESSONS}) == len(LESSONS)


@each
def test_every_scene_is_a_run_whose_step_is_there(lesson: Lesson) -> None:
    for section in lesson.sections:
        ran = scene_run(section.scene)
        assert not ran.link.problems
        assert 0 <= section.scene.step < len(ran.trace), section.heading


@each
def test_every_lesson_asks_and_lets_try(lesson: Lesson) -> None:
    parts = [part for section in lesson.sections for part in section.parts]
    questions = [part for part in parts if isinstance(part, QuizQuestion)]
    exercises = [part for part in parts if isinstance(part, Exercise)]
    assert exercises
    for question in questions:
        assert [right for _, right, _ in question.choices].count(True) == 1
        assert all(said for *_, said in question.choices)
    for exercise in exercises:
        assert exercise.done
        assert exercise.checks


@each
def test_exercises_ask_for_what_the_address_says_and_are_not_done_before(lesson: Lesson) -> None:
    for section in lesson.sections:
        link = scene_run(section.scene).link
        before = {**recipe_parts(link.recipe), **LAYOUT, **link.layout}
        for exercise in (part for part in section.parts if isinstance(part, Exercise)):
            assert {name for name, *_ in exercise.checks} <= set(before), exercise.text
            for name, _, value in exercise.checks:
                assert not read(f"task={before['task']}&{name}={value}").problems, exercise.text
            assert not all(holds(str(before[name]), how, value) for name, how, value in exercise.checks)


def holds(left: str, how: str, right: str) -> bool:
    if how in ("=", "!="):
        return (left == right) == (how == "=")
    a, b = float(left), float(right)
    return {">=": a >= b, "<=": a <= b, ">": a > b, "<": a < b}[how]


@each
def test_numbers_in_the_text_are_figures_of_its_run(lesson: Lesson) -> None:
    for section in lesson.sections:
        for part in section.parts:
            if isinstance(part, str):
                assert not re.findall(r"\d+", GIVEN.sub("", part)), section.heading
                assert "{{" not in fill_facts(part, section.scene)


def test_figures_are_those_of_the_trace() -> None:
    scene = Scene("task=circle&learner=n-slack&set.C=10.0&example=4")
    trace = scene_run(scene).trace
    said = fill_facts("{{steps}} {{primal}} {{dual at 1}} {{gap at 1}}", scene).split()
    primal, dual = trace.column("primal"), trace.column("dual")
    assert said[0] == str(len(trace))
    assert float(said[1]) == pytest.approx(primal[-1], rel=1e-3)
    assert float(said[2]) == pytest.approx(dual[1], rel=1e-3)
    assert float(said[3].rstrip("%")) == pytest.approx(100 * (primal[1] - dual[1]) / primal[1], rel=0.06)


@each
def test_a_page_has_its_films_and_links_that_lead_somewhere(lesson: Lesson) -> None:
    page = html.lesson_page(lesson)
    assert page.count("<figure class='film") == len({section.scene.query for section in lesson.sections})
    for asked in re.findall(r"data-query='([^']*)'", page):
        assert not read(unescape(asked)).problems
    names = {one.name for one in LESSONS} | {"./"}
    for where in re.findall(r"href='([^']*)'", page.partition("<main")[2]):
        assert where in names or where == "../studio"


def test_the_course_page_leads_to_every_lesson() -> None:
    page = html.course()
    assert all(f"<a href='{lesson.name}'>" in page for lesson in LESSONS)


@pytest.mark.spec("F74")
def test_the_glossary_explains_every_term_and_symbol() -> None:
    page = html.glossary()
    assert all(f">{term}</dt>" in page for term in GLOSSARY)
    assert all(f"<dt>{sign}</dt>" in page for sign in SYMBOLS)


def test_the_story_shows_a_film_three_doors_and_every_group_of_tasks() -> None:
    page = html.story()
    assert page.count("<figure class='film'") == 1
    assert all(f"<b>{title}</b>" in page for _, title, _ in html.DOORS)
    cards = re.findall(r"href='studio\?([^']*)'", page)
    tasks = {parse_qs(unescape(card))["task"][0] for card in cards}
    assert {"digit-words", "stripes", "moons", "micro-trees", "detection"} <= tasks


def test_a_lesson_that_is_not_there_is_refused() -> None:
    with pytest.raises(Refused, match="there is no lesson nowhere; the course begins with a-line"):
        lesson_named("nowhere")


def test_a_line_that_cannot_be_understood_is_refused_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "01-x.md"
    begin = "title: x\nminutes: 3\nabout: y\n## One\nscene: task=circle step=0\n"
    file.write_text(f"{begin}! do\ncheck: nothing\n")
    with pytest.raises(Refused, match=r"01-x.md, line 7 cannot be understood: check: nothing"):
        read_lesson(file)
    file.write_text("title: x\n")
    with pytest.raises(Refused, match="begins without minutes"):
        read_lesson(file)
