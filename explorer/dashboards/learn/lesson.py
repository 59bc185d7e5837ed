"""A lesson as its file says it: sections of text, each with a scene, and questions and exercises.

    title: What a margin is          a head: title, minutes, about
    ## A heading                     begins a section
    scene: task=circle&example=4 step=2      what its figure shows: part of a studio's address, and a step
    Text in Markdown with {{primal at 2}}, a figure of the scene's run.
    ? A question
    - a wrong answer | what to say to it
    + the right one | what to say to it
    ! an exercise in the live figure
    check: set.C >= 50               conditions on the figure's address, joined by "and"
    done: what to say when it is done

A section without a scene goes on with the one before.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.engine.refusals import Refused

FIELDS = ("title", "minutes", "about")
CHECK = re.compile(r"([\w.]+)\s*(>=|<=|!=|=|>|<)\s*(\S.*)")


@dataclass(frozen=True, slots=True)
class Scene:
    """What a figure shows: part of a studio's address, and the step it begins with."""

    query: str
    step: int = 0


@dataclass(slots=True)
class QuizQuestion:
    """Asked before the next paragraph tells: each choice with whether it is right and what is said to it."""

    text: str
    choices: list[tuple[str, bool, str]] = field(default_factory=list)


@dataclass(slots=True)
class Exercise:
    """To be done in the live figure; done when all conditions on its address hold."""

    text: str
    checks: tuple[tuple[str, str, str], ...] = ()
    done: str = ""


@dataclass(slots=True)
class Section:
    """A heading, a scene, and parts in their order: text, questions, exercises."""

    heading: str
    scene: Scene
    parts: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson; `name` is its address."""

    name: str
    title: str
    minutes: int
    about: str
    sections: tuple[Section, ...]


def read_lesson(path: Path) -> Lesson:
    """The lesson in a file; a line that cannot be understood is refused with its number."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = dict(said for line in lines[: len(FIELDS)] if (said := head_of(line)))
    missing = [name for name in FIELDS if name not in head]
    if missing:
        raise Refused(f"{path.name} begins without {missing[0]}: its first lines are {', '.join(FIELDS)}")
    sections: list[Section] = []
    for number, line in enumerate(lines[len(FIELDS) :], start=len(FIELDS) + 1):
        try:
            take_line(line.rstrip(), sections)
        except (ValueError, IndexError, AttributeError):
            raise Refused(f"{path.name}, line {number} cannot be understood: {line.strip()[:60]}") from None
    name = path.stem.partition("-")[2]
    return Lesson(name, head["title"], int(head["minutes"]), head["about"], tuple(sections))


def head_of(line: str) -> tuple[str, str] | None:
    """A line `name: value` of the head."""
    name, colon, value = line.partition(":")
    return (name.strip(), value.strip()) if colon and name.strip() in FIELDS else None


def take_line(line: str, sections: list[Section]) -> None:
    """Add what a line says."""
    if line.startswith("## "):
        sections.append(Section(line[3:].strip(), sections[-1].scene if sections else Scene("")))
        return
    if not sections:
        if line.strip():
            raise ValueError(line)
        return
    section, parts = sections[-1], sections[-1].parts
    if line.startswith("scene:"):
        section.scene = scene_of(line.removeprefix("scene:").strip())
    elif line.startswith("? "):
        parts.append(QuizQuestion(line[2:].strip()))
    elif line[:2] in ("+ ", "- ") and parts and isinstance(parts[-1], QuizQuestion):
        text, _, answer = line[2:].partition(" | ")
        parts[-1].choices.append((text.strip(), line[0] == "+", answer.strip()))
    elif line.startswith("! "):
        parts.append(Exercise(line[2:].strip()))
    elif line.startswith("check:"):
        parts[-1].checks = tuple(checks_of(line.removeprefix("check:")))
    elif line.startswith("done:"):
        parts[-1].done = line.removeprefix("done:").strip()
    elif parts and isinstance(parts[-1], str):
        parts[-1] += "\n" + line
    elif line.strip():
        parts.append(line)


def scene_of(text: str) -> Scene:
    """`query step=k` as a scene."""
    query, _, step = text.partition(" step=")
    return Scene(query.strip(), int(step or 0))


def checks_of(text: str) -> Iterator[tuple[str, str, str]]:
    """Conditions as name, comparison and value."""
    for part in text.split(" and "):
        yield CHECK.fullmatch(part.strip()).groups()  # type: ignore[union-attr]


__all__ = ["Exercise", "Lesson", "QuizQuestion", "Scene", "Section", "read_lesson"]
