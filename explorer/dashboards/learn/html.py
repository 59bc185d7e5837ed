"""Story, course, lessons and glossary as HTML; whatever comes from a text is escaped."""

import json
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any

from markdown_it import MarkdownIt

from explorer.dashboards.gallery.presets import GROUPS, PRESETS
from explorer.dashboards.learn.course import fill_facts, lessons, scene_run
from explorer.dashboards.learn.lesson import Exercise, Lesson, QuizQuestion, Scene, Section
from explorer.dashboards.studio.link import FIRST, WATCHED, query
from explorer.player.web_page import asset, figure, theme_styles
from explorer.views.kit.words.glossary import GLOSSARY, SYMBOLS, mark_terms

LINKS = {"": "Story", "learn/": "Course", "gallery": "Gallery", "studio": "Workbench", "glossary": "Glossary"}
STORY = (
    "A machine learns to read handwritten numbers. After each try it asks which wrong number tempts it most, "
    "and learns to resist that one."
)
DOORS = (
    ("learn/", "Take the course", "From a line between two classes to cutting planes, in short lessons."),
    (
        "studio",
        "Open the workbench",
        "Train, step back, change C, and see every number behind a picture.",
    ),
    ("{data}", "Bring your data", "Sentences, tables, graphs, trees or clusters of your own."),
)
MARKDOWN = MarkdownIt("commonmark", {"html": False})


@lru_cache
def web(name: str) -> str:
    """A script or style sheet of these pages."""
    return (files("explorer.dashboards.learn") / "web" / name).read_text(encoding="utf-8")


def page(title: str, body: str, here: str = "", up: str = "", scripts: str = "", look: str = "") -> str:
    """A whole page; `up` leads from its folder to the root."""
    links = "".join(
        f"<a href='{up or './'}{address}'{' aria-current=page' if address == here else ''}>{name}</a>"
        for address, name in LINKS.items()
    )
    style = theme_styles() + web("pages.css") + asset("player.css")
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{style}</style><script>{THEMED}</script></head>"
        f"<body {look}><a class='skip' href='#main'>To the text</a><header class='top'>"
        f"<b><a href='{up or './'}'>Structured prediction explorer</a></b>"
        f"<nav aria-label='Pages'>{links}</nav>"
        f"</header>{body}{scripts}</body></html>"
    )


THEMED = (
    "{const t=new URLSearchParams(location.search).get('theme');"
    "if(['light','dark','projector'].includes(t))document.documentElement.dataset.theme=t}"
)


def player_script() -> str:
    """The player of films, at the end of a page."""
    return f"<script>{asset('player.js')}</script>"


def story(data_page: str = "data") -> str:
    """The first page: one film, three doors, and what there is to learn from."""
    shown = scene_run(Scene(query(FIRST, {"example": WATCHED}))).film
    doors = "".join(
        f"<li><a href='{escape(where.format(data=data_page), quote=True)}'><b>{title}</b>{words}</a></li>"
        for where, title, words in DOORS
    )
    walls = "".join(wall(group, *told) for group, told in GROUPS.items() if group != "ways")
    body = (
        "<main id='main'><h1>Which wrong answer is the most tempting?</h1>"
        f"<p class='lead'>{STORY}</p>{figure(shown)}<ul class='doors'>{doors}</ul>{walls}</main>"
    )
    return page("Structured prediction explorer", body, scripts=player_script())


def wall(group: str, title: str, about: str) -> str:
    """The tasks of one group as cards that lead to the workbench."""
    cards = "".join(
        f"<li><a href='studio?{escape(query(preset.recipe, {'view': preset.view}), quote=True)}'>"
        f"<img src='picture/{escape(preset.recipe.task.name, quote=True)}.svg' alt='' loading='lazy' "
        f"width='260' height='120'><b>{escape(preset.title)}</b>{escape(preset.words)}</a></li>"
        for preset in PRESETS
        if preset.group == group
    )
    return f"<h2>{escape(title)}</h2><p class='muted'>{escape(about)}</p><ul class='wall'>{cards}</ul>"


def refusal(sentence: str) -> str:
    """A page that is not there, and what there is instead."""
    body = f"<main id='main'><h1>Not here</h1><p>{escape(sentence)}.</p></main>"
    return page("Not here", body, up="../")


def course() -> str:
    """All lessons in their order."""
    rows = "".join(
        f"<li><a href='{lesson.name}'><b>{escape(lesson.title)}</b><i>{lesson.minutes} minutes</i>"
        f"<span>{escape(lesson.about)}</span></a></li>"
        for lesson in lessons()
    )
    minutes = sum(lesson.minutes for lesson in lessons())
    body = (
        "<main id='main'><h1>The course</h1><p class='lead'>Short lessons, each beside one figure that you "
        f"can take over. {len(lessons())} lessons, about {minutes} minutes.</p>"
        f"<ol class='lessons'>{rows}</ol>{PATHS}</main>"
    )
    return page("The course", body, here="learn/", up="../")


PATHS = (
    "<h2>Three ways through it</h2><ul><li><b>One lecture:</b> why structure, the tempting answer, cutting "
    "planes and their two bounds.</li><li><b>One week:</b> the lessons up to duality, one a day with its "
    "exercises; on the last day a race between two learners.</li><li><b>One term:</b> all of them, each with "
    "a study from the <a href='../studies'>published experiments</a>, ending with data of one's "
    "own.</li></ul>"
)


def lesson_page(lesson: Lesson) -> str:
    """A lesson beside its figures."""
    scenes = list(dict.fromkeys(section.scene.query for section in lesson.sections))
    drawn = "".join(figure(scene_run(_scene(lesson, asked)).film) for asked in scenes)
    texts = "".join(section_html(section, scenes, n) for n, section in enumerate(lesson.sections))
    every = lessons()
    at = [one.name for one in every].index(lesson.name)
    onward = "<a href='./'>All lessons</a>"
    if at + 1 < len(every):
        onward += f"<a href='{every[at + 1].name}'>Next: {escape(every[at + 1].title)}</a>"
    body = (
        f"<main id='main' class='lesson'><article><h1>{escape(lesson.title)}</h1>"
        f"<p class='lead'>{escape(lesson.about)}</p>{texts}<p class='onward'>{onward}</p></article>"
        f"<div class='stage'><div class='frame' tabindex='0' role='group' aria-label='Figure'>{drawn}</div>"
        "<div class='below'><button class='live' type='button' aria-pressed='false' data-live='Make it live' "
        "data-film='Back to the film' data-title='The live figure'>Make it live</button>"
        "<a class='away' href='../studio' target='_blank' rel='noopener'>Open in the workbench</a>"
        "</div></div></main>"
    )
    scripts = player_script() + f"<script>{web('lesson.js')}</script>"
    look = f"data-lesson='{escape(lesson.name, quote=True)}'"
    return page(lesson.title, body, here="learn/", up="../", scripts=scripts, look=look)


def _scene(lesson: Lesson, asked: str) -> Any:
    return next(section.scene for section in lesson.sections if section.scene.query == asked)


def section_html(section: Section, scenes: list[str], number: int) -> str:
    """One section with what it asks."""
    link = scene_run(section.scene).link
    where = query(link.recipe, dict(link.layout) | {"cursor": section.scene.step}, link.see)
    parts = "".join(part_html(part, section, f"{number}-{n}") for n, part in enumerate(section.parts))
    return (
        f"<section data-figure='{scenes.index(section.scene.query)}' data-step='{section.scene.step}' "
        f"data-query='{escape(where, quote=True)}'><h2>{escape(section.heading)}</h2>{parts}</section>"
    )


def part_html(part: Any, section: Section, number: str) -> str:
    """A text, a question, or an exercise."""
    if isinstance(part, QuizQuestion):
        asked = escape(fill_facts(part.text, section.scene))
        choices = "".join(
            f"<button type='button' data-right='{'yes' if right else 'no'}' "
            f"data-said='{escape(fill_facts(said, section.scene), quote=True)}'>"
            f"{escape(fill_facts(text, section.scene))}</button>"
            for text, right, said in part.choices
        )
        return (
            f"<div class='question' data-number='{number}'><p><b>{asked}</b></p>"
            f"<div>{choices}</div><p class='said' aria-live='polite'></p></div>"
        )
    if isinstance(part, Exercise):
        checks = escape(json.dumps(part.checks), quote=True)
        return (
            f"<div class='exercise' data-number='{number}' data-checks='{checks}' "
            f"data-done='{escape(fill_facts(part.done, section.scene), quote=True)}'><p><b>Try it.</b> "
            f"{escape(fill_facts(part.text, section.scene))}</p><p class='said' aria-live='polite'></p></div>"
        )
    return MARKDOWN.render(fill_facts(part, section.scene))


def glossary() -> str:
    """Every term and symbol with its meaning."""
    terms = "".join(
        f"<dt id='{escape(term.replace(' ', '-'), quote=True)}'>{escape(term)}</dt>"
        f"<dd>{mark_terms(text)}</dd>"
        for term, text in sorted(GLOSSARY.items(), key=lambda row: row[0].lower())
    )
    signs = "".join(f"<dt>{escape(sign)}</dt><dd>{escape(text)}</dd>" for sign, text in SYMBOLS.items())
    body = f"<main id='main'><h1>Glossary</h1><dl>{terms}</dl><h2>Symbols</h2><dl>{signs}</dl></main>"
    return page("Glossary", body, here="glossary")


__all__ = ["course", "glossary", "lesson_page", "page", "refusal", "story"]
