"""The lessons of the course in their order, in every language, and the run behind a scene."""

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from explorer.dashboards.learn.lesson import Lesson, Scene, read_lesson
from explorer.dashboards.studio.link import StudioLink, read
from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.player import RunFilm, film
from explorer.session.memo import Once
from explorer.session.problem_cache import problem_of
from explorer.session.shared_runs import shared_run
from explorer.wording import number

PACKAGE = Path(__file__).parents[2]
PLACES = (PACKAGE / "assets" / "lessons", PACKAGE.parent / "assets" / "lessons")
"""Where lessons are: inside an installed package, or beside the sources."""

LANGUAGES = {"en": "English"}
"""Those that the course is complete in."""

FACT = re.compile(r"\{\{([a-z_ ]+?)(?: at (\d+))?\}\}")


class Ran(NamedTuple):
    """What a scene shows."""

    link: StudioLink
    problem: Problem
    trace: Trace
    film: RunFilm


def folder_of(language: str) -> Path:
    """The lessons of a language."""
    return next(place / language for place in PLACES if (place / language).is_dir())


@lru_cache(maxsize=8)
def lessons(language: str = "en") -> tuple[Lesson, ...]:
    """All lessons in their order."""
    return tuple(read_lesson(path) for path in sorted(folder_of(language).glob("*.md")))


def lesson_named(name: str, language: str = "en") -> Lesson:
    """The lesson of an address; refused with what there is."""
    for lesson in lessons(language):
        if lesson.name == name:
            return lesson
    raise Refused(f"there is no lesson {name}; the course begins with {lessons(language)[0].name}")


def play_scene(query: str) -> Ran:
    """Train what a scene asks for to its end, or take it from the shelf, and make its film."""
    link = read(query)
    if link.problems:
        raise Refused(f"the scene {query} cannot be shown: {link.problems[0]}")
    problem, trace = problem_of(link.recipe)[0], shared_run(link.recipe)
    shown = film(problem, trace, int(link.layout["example"]), link.recipe.task.title)
    return Ran(link, problem, trace, shown)


_scenes = Once(play_scene, most=64, key=str)


def scene_run(scene: Scene) -> Ran:
    """The run of a scene, made once for everybody."""
    return _scenes(scene.query)


def fill_facts(text: str, scene: Scene) -> str:
    """The text with its figures, each computed from the scene's run."""
    return FACT.sub(lambda found: fact(found[1], found[2], scene), text)


def fact(name: str, at: str | None, scene: Scene) -> str:
    """One figure in words; without a step that of the last one."""
    ran = scene_run(scene)
    steps = ran.film.steps
    if name == "steps":
        return str(len(ran.trace))
    if name == "first right":
        return next((str(one.k) for n, one in enumerate(steps) if all(s.right for s in steps[n:])), "no step")
    k = len(ran.trace) - 1 if at is None else int(at)
    if name == "words":
        return next(one.words for one in steps if one.k == k)
    if name == "gap":
        primal, dual = (ran.trace.column(bound)[k] for bound in ("primal", "dual"))
        return f"{100 * (primal - dual) / primal:.2g}%"
    return number(float(ran.trace.column(name.replace(" ", "_"))[k]))


__all__ = ["LANGUAGES", "Ran", "fill_facts", "lesson_named", "lessons", "scene_run"]
