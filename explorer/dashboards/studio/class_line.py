"""A line at the top of a studio that leads a class or follows one, and what keeps the two together."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.studio.classroom import ROOMS, ClassRoom, Rooms, TeacherLook
from explorer.engine.refusals import Refused
from explorer.session.state import Session

FOLLOWS = "You follow the class {code}: this page shows what is shown to everybody."
LEADS = "You lead the class {code}: {count} follow. Every step and setting of this page is shown to them."


class ClassLine(pn.viewable.Viewer):
    """Leading, following or neither; `bring` puts a view in front by its name, `front` tells which one is."""

    def __init__(
        self,
        session: Session,
        bring: Callable[[str], None],
        front: Callable[[], str],
        rooms: Rooms = ROOMS,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self.session, self.bring, self.front, self.rooms = session, bring, front, rooms
        self.leads: ClassRoom | None = None
        self.follows: ClassRoom | None = None
        self._seen = -1
        self.words = pn.pane.HTML("", sizing_mode="stretch_width", margin=(6, 12))
        self.leave = pmui.Button(label="Leave the class", size="small", variant="outlined", margin=(4, 12))
        self.leave.on_click(lambda _: self.part())
        self.line = pn.Row(self.words, self.leave, visible=False, sizing_mode="stretch_width", margin=0)

    def take_up(self, said: Mapping[str, str]) -> str:
        """Follow or lead as the address says; returns why that cannot be, if so."""
        follow, lead = (said.get(name, "") for name in ("follow", "lead"))
        try:
            if lead:
                self.leads = self.rooms.lead(lead)
            elif follow:
                self.follows = self.rooms.find(follow)
                self.follows.followers.add(self)
        except Refused as refused:
            return f"The class cannot be joined: {refused}."
        self.tell()
        return ""

    def begin(self) -> ClassRoom:
        """Lead a class from now on."""
        self.part()
        self.leads = self.leads or self.rooms.open()
        self.beat()
        return self.leads

    def part(self) -> None:
        """Follow no more."""
        if self.follows is not None:
            self.follows.followers.discard(self)
            self.follows = None
        self.tell()

    def close(self) -> None:
        """The page has ended."""
        self.part()

    def beat(self, may_draw: bool = True) -> None:
        """Show the class what is looked at, or look at what is shown when there is time to draw it."""
        if self.leads is not None:
            self.rooms.keep(self.leads)
            self.leads.show(self.look())
            self.tell()
        elif self.follows is not None and self.follows.version != self._seen and may_draw:
            self._seen = self.follows.version
            if self.follows.look is not None:
                self.go(self.follows.look)

    def look(self) -> TeacherLook:
        """What this page looks at."""
        s = self.session
        return TeacherLook(
            s.trained_under, s.trace, len(s.trace), s.cursor, s.phase, s.example, s.split, self.front()
        )

    def go(self, look: TeacherLook) -> None:
        """TeacherLook at what the leader looks at: the same run, step, example and view."""
        s = self.session
        if s.trace is not look.trace:
            if s.recipe().key() != look.recipe.key():
                s.apply(look.recipe)
            s.replay(look.trace)
        s.param.update(split=look.split if s.test is not None else "training", playing=False)
        s.example = look.example
        s.param.update(cursor=look.cursor, phase=look.phase, following=False, tick=s.tick + 1)
        self.bring(look.view)

    def tell(self) -> None:
        """Say it, if it changed."""
        if self.leads is not None:
            words = LEADS.format(code=self.leads.code, count=len(self.leads.followers))
        else:
            words = FOLLOWS.format(code=self.follows.code) if self.follows is not None else ""
        if words != self.words.object:
            self.words.object = escape(words)
            self.leave.visible = self.follows is not None
            self.line.visible = bool(words)

    @property
    def attends(self) -> bool:
        """Whether a class is led or followed."""
        return self.leads is not None or self.follows is not None

    @property
    def parts(self) -> dict[str, str]:
        """What the address says of it."""
        if self.leads is not None:
            return {"lead": f"{self.leads.code}.{self.leads.key}"}
        return {"follow": self.follows.code} if self.follows is not None else {}

    def __panel__(self) -> Any:
        return self.line


__all__ = ["ClassLine"]
