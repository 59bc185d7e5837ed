"""The stage: one view large, the others behind their tabs, in three groups.

A view is made when it is first looked at; until it is there its place says what is coming. All tools of the
view in front stand in the row of the tabs, so that the picture has the rest.
"""

from collections.abc import Callable, Iterable
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from explorer.dashboards.card import FILLING
from explorer.dashboards.studio.hero_bar import HeroBar
from explorer.engine.contracts import Problem
from explorer.views import ANSWER, GROUPS, RARE, STRUCTURES, VIEWS, structure_of
from explorer.views.kit.drawing.theme import LIGHT, css_variables
from explorer.views.kit.messages import Soon, lacks_lock
from explorer.views.kit.view import View

SKELETON = """
.skeleton { position: absolute; inset: 8px; display: grid; place-items: center; border-radius: 6px;
  color: var(--muted); background: var(--grid); font: 16px Roboto, Helvetica, Arial, sans-serif;
  animation: pulse 1.4s ease-in-out infinite; }
@keyframes pulse { 50% { opacity: 0.55; } }
@media (prefers-reduced-motion: reduce) { .skeleton { animation: none; } }
"""

ONE_LINE = "p { max-width: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }"
TWO_LINES = """
p { max-width: none; min-height: 2.6em; display: -webkit-box; -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  overflow: hidden; }
"""
"""What a view says keeps its room, however long it is: a picture never jumps."""


def kinds_of(problem: Problem) -> list[type[View]]:
    """The views of a problem in the order of their tabs: of the structure views one, of the others those
    that fit.
    """
    fitting = structure_of(problem)
    return [view for view in VIEWS if (view is fitting if view in STRUCTURES else view.fits(problem))]


class ViewStage(pn.viewable.Viewer):
    """The views of a session, one of them in front."""

    theme = param.Parameter(LIGHT)

    def __init__(self, problem: Problem, make: Callable[[type[View]], View], **params: Any) -> None:
        super().__init__(**params)
        self.make = make
        self.views: dict[type[View], View] = {}
        self.places: dict[type[View], Any] = {}
        self.column = pn.Column(sizing_mode="stretch_both", margin=0)
        self.bar = HeroBar(self._numbers)
        self._build = Soon(self.open, 1)
        self.fit(problem)
        self.bar.param.watch(lambda *_: self._show(), "active")
        self.param.watch(lambda *_: self._dress(), "theme")
        self._dress()
        self.paper = pmui.Paper(
            self.bar,
            self.column,
            sizing_mode="stretch_both",
            margin=6,
            elevation=1,
            css_classes=["view-card", "hero"],
            stylesheets=[FILLING],
        )

    # which view is in front ---------------------------------------------------------------------------------

    @property
    def front(self) -> type[View]:
        """The view in front."""
        return next(view for view in self.kinds if view.name_key == self.bar.active)

    def bring(self, view: type[View]) -> None:
        """Bring a view to the front; the structure where the problem does not have it."""
        key = (view if view in self.kinds else structure_of(self.problem)).name_key
        if key == self.bar.active:
            self._show()
        self.bar.active = key

    def fit(self, problem: Problem) -> None:
        """Another problem has other views; the one in front stays there, or the structure comes."""
        self.problem, self.kinds = problem, kinds_of(problem)
        groups = [
            {"title": title, "tabs": [[v.name_key, v.title, v in RARE] for v in self.kinds if v in members]}
            for title, members in GROUPS.items()
        ]
        kept = (
            self.bar.active
            if self.bar.active in {v.name_key for v in self.kinds}
            else structure_of(problem).name_key
        )
        self.bar.param.update(groups=[group for group in groups if group["tabs"]], active=kept)

    def _show(self) -> None:
        """Show the place of the front view at once, and the view as soon as it is made."""
        front = self.front
        if front not in self.places:
            self.places[front] = pn.Column(self._skeleton(front), sizing_mode="stretch_both", margin=0)
            self.column.append(self.places[front])
        for view, place in self.places.items():
            place.visible = view is front
        for kind, view in self.views.items():
            view.active = kind is front
        self._tell()
        if front not in self.views:
            self._build()

    def _skeleton(self, view: type[View]) -> Any:
        """What stands in the place of a view that is being made."""
        style = f"<style>:host {{ {css_variables(self.theme)} }}</style>"
        return pn.pane.HTML(
            f"{style}<div class='skeleton' role='status'>Drawing {view.title} …</div>",
            sizing_mode="stretch_both",
            margin=0,
            stylesheets=[SKELETON],
        )

    def open(self) -> None:
        """Make the front view."""
        front = self.front
        if front in self.views:
            return
        if lacks_lock():
            pn.state.execute(self.open, schedule=True)
            return
        view = self.views[front] = self.make(front)
        view.words.stylesheets = [*view.words.stylesheets, ONE_LINE if front in GROUPS[ANSWER] else TWO_LINES]
        view.param.watch(lambda *_: self._tell(), "table_open")
        self.places[front][:] = [view]
        self._tell()

    def _tell(self) -> None:
        """Let the tools be those of the front view."""
        front = self.front
        view = self.views.get(front)
        self.bar.param.update(
            title=front.title,
            named=front.name_key,
            about=front.help,
            drawn=bool(view is not None and view.figures),
            table_open=bool(view is not None and view.table_open),
        )

    def _numbers(self) -> None:
        view = self.views.get(self.front)
        if view is not None:
            view.table_open = not view.table_open

    def _dress(self) -> None:
        self.bar.look = css_variables(self.theme)

    def close(self) -> None:
        """Views are closed by the page, which adopted them."""

    def parts(self) -> Iterable[Any]:
        """What holds browser callbacks."""
        return self.places.values()

    def __panel__(self) -> Any:
        return self.paper


__all__ = ["ViewStage", "kinds_of"]
