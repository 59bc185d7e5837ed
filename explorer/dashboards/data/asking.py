"""Pages whose link names a data file that a visitor has to bring: the page itself where the file is here and
ready, else one that asks for the file, or that says that it is being read, and then shows the page.
"""

from collections.abc import Callable, Sequence
from html import escape

import panel as pn

from explorer.dashboards.address import asked_theme, search
from explorer.dashboards.data import words
from explorer.dashboards.data.drop_zone import DropZone
from explorer.dashboards.data.look import STYLE, colours
from explorer.dashboards.data.page import BEAT, page_name
from explorer.dashboards.data.visitor import VisitorMark, known_visitor, visitor
from explorer.dashboards.shell import Shell
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import Task
from explorer.engine.refusals import Refused
from explorer.session.links.codec import Reading
from explorer.session.links.files import FileAsked, file_asked
from explorer.session.links.recipes import take_recipe
from explorer.session.problem_cache import ready_problem
from explorer.session.runner import Runner
from explorer.session.uploads.bundles import bundles
from explorer.session.uploads.desk import Desk
from explorer.session.uploads.store import Uploads
from explorer.views.kit.drawing.theme import LIGHT, THEMES

Build = Callable[[Sequence[Task]], Shell]


def with_file(page: str, build: Build, runner: Runner, store: Uploads, opened: Sequence[Task] = ()) -> Shell:
    """A page, with the visitor's file where its link needs one."""
    asked = file_asked(search())
    if asked is None or any(asked.name == task.name for task in opened):
        return build(opened)
    token = known_visitor()
    task = store.task(token, asked.key) if asked.sum else None
    if task is not None and ready_problem(linked_recipe(task)) is not None:
        name = page_name()
        store.hold(token, name)
        shell = build([*opened, task])
        shell.closing.append(lambda: store.release(token, name))
        return shell
    return FileRequest(page, asked, Desk(runner, store, visitor(), page_name())).shell


def linked_recipe(task: Task) -> Recipe:
    """What the address makes of a task: data, model and oracles; the rest makes no other problem."""
    return take_recipe(Reading(search(), "", 8000), [task]) or Recipe(task)


class FileRequest:
    """Asks for a file, and shows the page that needs it as soon as it is there and read."""

    def __init__(self, page: str, asked: FileAsked, desk: Desk) -> None:
        self.asked, self.desk = asked, desk
        theme = THEMES.get(asked_theme(), LIGHT)
        look = colours(theme)
        self.mark = VisitorMark(desk.visitor)
        self.mark.when_kept(desk.belong_to)
        self.words = pn.pane.HTML("", stylesheets=[STYLE], styles=look, sizing_mode="stretch_width", margin=0)
        self.zone = DropZone(self._brought, styles=look, margin=(8, 0))
        body = pn.Column(
            self.words, self.zone, self.mark, margin=0, max_width=760,
            sizing_mode="stretch_width", styles={"padding": "24px 20px", "margin": "0 auto"},
        )  # fmt: skip
        self.shell = Shell(page, sidebar=[], main=[body])
        self.shell.wear(asked_theme())
        self.shell.closing.append(desk.close)
        self.shell.every(BEAT, desk.collect)
        desk.param.watch(lambda *_: self._follow(), ["status", "message"])
        self.say()
        self._have()

    def say(self, wrong: str = "") -> None:
        """Which file is needed, and what is wrong with the one that came."""
        one = self.asked
        test = f" and the test file {name_and_sum(one.test, one.testsum)}" if one.test else ""
        text = f"<h1>This link needs a file</h1><p>It was made with {name_and_sum(one.name, one.sum)}{test}. "
        text += "The link itself holds no data: drop the file here, and the page opens as it was.</p>"
        self.words.object = text + (words.refusal(wrong) if wrong else "")

    def _have(self) -> None:
        """Open what the visitor has here already, if that is all that is needed."""
        one, desk = self.asked, self.desk
        found = desk.store.find(desk.visitor, one.sum)
        test = desk.store.find(desk.visitor, one.testsum) if one.testsum else None
        if found is None or (one.testsum and test is None):
            return
        self.zone.visible = False
        self.words.object = f"<h1>{escape(one.name)}</h1><p role='status'>The file is being read…</p>"
        desk.open(found, test, one.choices)

    def _brought(self, files: dict[str, bytes]) -> None:
        """A file came: is it the one?"""
        desk = self.desk
        try:
            kept = [desk.store.put(desk.visitor, one.files, one.first) for one in bundles(files)]
        except Refused as refusal:
            self.say(str(refusal))
            return
        wanted = [text for text in (self.asked.sum, self.asked.testsum) if text]
        strange = [one for one in kept if not any(one.sum.startswith(text) for text in wanted)]
        if strange and wanted:
            self.say(
                f"{strange[0].name} is another file: its SHA-256 begins with {strange[0].short}, and the "
                f"link was made with {wanted[0][:12]}; give that one, or start from the data page with yours"
            )
            return
        if not wanted:
            self.asked = FileAsked(self.asked.name, kept[0].sum, choices=self.asked.choices)
        self._have()

    def _follow(self) -> None:
        """When the file is read have its problem made, then show the page."""
        desk = self.desk
        if desk.status == "refused":
            self.zone.visible = True
            self.say(desk.message)
        elif desk.status == "ready" and desk.task is not None:
            desk.prepare(self._show, linked_recipe(desk.task))

    def _show(self) -> None:
        self.mark.again += 1


def name_and_sum(name: str, sum: str) -> str:
    """A file by name and checksum."""
    mark = f" (SHA-256 {escape(sum[:12])}…)" if sum else ""
    return f"<strong>{escape(name)}</strong>{mark}"


__all__ = ["FileRequest", "with_file"]
