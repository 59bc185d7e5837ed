"""Taking a page away: its link, a notebook cell, a command line; the run as bundle or CSV; and bringing a
bundle back.
"""

import asyncio
import csv
import io
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.dashboards.navigation import PHONE
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved as bundle
from explorer.engine.runs.trace import Trace
from explorer.player import film
from explorer.player.web_page import standalone
from explorer.session.commands import studio_cell, train_command
from explorer.session.problem_cache import keep_problem, page_problem
from explorer.session.state import Session
from explorer.session.uploads.apart import check_same_problem, read_apart
from explorer.session.uploads.errand import Errand
from explorer.views.kit.controls.clipboard import Clipboard

MOST_BYTES = 10_000_000
"""Uploads above this are refused; the browser's connection would not carry them."""

ELSEWHERE = (
    "This run was trained elsewhere: its bounds are what its file says, proved there and not here. “Check "
    "this solution” proves a step again."
)

PATIENCE = 5.0
"""Seconds to wait for a worker's keyframe; a bundle without one can be looked at but not taken up."""

SLIM = {
    f"@media (max-width: {PHONE}px)": {
        "fontSize": 0,
        "minWidth": 0,
        "& .MuiButton-startIcon, & .MuiButton-endIcon": {"margin": 0},
        "& .MuiButton-startIcon *": {"fontSize": "var(--type-large, 20px) !important"},
    }
}
"""On a phone the menu is its icon alone; it keeps its name for those who listen."""

COPIES = ("Copy link", "Copy as notebook cell", "Copy as command line", "Copy link of a class that I lead")


def csv_of(trace: Trace) -> str:
    """The run's figures as CSV, one row per step."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(trace.names)
    columns = [trace.column(name) for name in trace.names]
    writer.writerows([f"{column[k]:.12g}" for column in columns] for k in range(len(trace)))
    return out.getvalue()


async def bundle_of(session: Session) -> io.BytesIO:
    """The run as a bundle that can be opened again and taken up; one under way is held while its keyframe
    comes.
    """
    running = session.status == "running"
    if not session.trace.resumable:
        session.ask_keyframe()
        ends = time.monotonic() + PATIENCE
        while not session.trace.resumable and time.monotonic() < ends:
            await asyncio.sleep(0.05)
            session.collect()
    found = run_bytes(session)
    if running:
        session.play(session.speed)
    return found


def run_bytes(session: Session) -> io.BytesIO:
    """The session's run as the bytes of a bundle."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.zip"
        bundle.save(path, session.recipe().plain(), session.trace)
        return io.BytesIO(path.read_bytes())


async def film_page(session: Session) -> io.StringIO:
    """The example that is looked at, over the run so far, as a page that plays without a server."""
    trace, title = session.trace.copy(), session.recipe().task.title
    made = await asyncio.to_thread(film, session.shown, trace, session.example, title)
    return io.StringIO(standalone(made))


class CopyMenu(pn.viewable.Viewer):
    """A menu of texts to take away: each is copied, and shown in a dialog."""

    def __init__(self, texts: Mapping[str, Callable[[], str]], **params: Any) -> None:
        super().__init__(**params)
        self.texts = texts
        self.clipboard = Clipboard(width=0, height=0, margin=0)
        self.shown = pmui.TextAreaInput(label="Text", rows=8, sizing_mode="stretch_width")
        self.dialog = pmui.Dialog(  # the page places it: inside the title bar it would wear the bar's colours
            self.shown,
            title="Copied to the clipboard",
            width_option="md",
            show_close_button=True,
            close_on_click=True,
        )
        self.copy = pmui.MenuButton(
            label="Share",
            icon="share",
            items=[{"label": label} for label in texts],
            size="small",
            variant="text",
            margin=(0, 4),
            sx=SLIM,
        )
        self.copy.on_click(lambda item: self.take(item["label"] if isinstance(item, dict) else str(item)))

    def take(self, label: str) -> None:
        """Copy one of the texts, and show it."""
        text = self.texts[label]()
        self.clipboard.copy(text)
        self.shown.param.update(label=label.removeprefix("Copy ").capitalize(), value=text)
        self.dialog.open = True

    def __panel__(self) -> Any:
        return pn.Row(self.copy, self.clipboard, margin=0)


class Sharing(CopyMenu):
    """The share menu of a studio, and its files."""

    def __init__(
        self,
        session: Session,
        address: Callable[[], str],
        notice: Callable[..., None],
        class_link: Callable[[], str],
        **params: Any,
    ) -> None:
        commands = lambda: studio_cell(session.recipe()), lambda: train_command(session.recipe())
        texts = (address, *commands, class_link)
        super().__init__(dict(zip(COPIES, texts, strict=True)), **params)
        self.session = session
        self.notice = notice
        self.reading: Errand | None = None
        self.making: Errand | None = None
        session.listening.append(self._look)
        self.zip = pmui.FileDownload(
            callback=partial(bundle_of, session),
            filename="run.zip",
            label="Run as bundle",
            size="small",
            variant="outlined",
        )
        self.csv = pmui.FileDownload(
            callback=lambda: io.StringIO(csv_of(session.trace)),
            filename="run.csv",
            label="Run as CSV",
            size="small",
            variant="outlined",
        )
        self.film = pmui.FileDownload(
            callback=partial(film_page, session),
            filename="film.html",
            label="Film as web page",
            size="small",
            variant="outlined",
        )
        self.upload = pmui.FileInput(accept=".zip", label="Open a bundle", size="small", variant="outlined")
        self.upload.param.watch(self._opened, "value")

    def _opened(self, event: Any) -> None:
        """Replay an uploaded run; a broken one is explained and changes nothing."""
        data = event.new
        if data is None:
            return
        if not data:
            self.notice("The file is empty; open a bundle that the explorer saved.")
            return
        if len(data) > MOST_BYTES:
            self.notice(
                f"The bundle has {len(data) / 1e6:.0f} MB; files up to {MOST_BYTES / 1e6:.0f} MB can be "
                "opened."
            )
            return
        self._let_go()
        runner = self.session.training.runner
        self.reading = Errand(runner, self._read, self._refuse, read_apart, bytes(data))

    def _look(self) -> None:
        """Take in the run, if it has been read, or the problem that it is of."""
        for errand in (self.reading, self.making):
            if errand is not None:
                errand.collect()

    def _read(self, found: tuple[Mapping[str, Any], Trace]) -> None:
        """Have the problem made that the recipe is of."""
        plain, trace = found
        try:
            recipe = Recipe.read(plain, self.session.choices.tasks.values())
        except (Refused, TypeError, KeyError, AttributeError) as fault:
            known = isinstance(fault, Refused)
            self._refuse(str(fault) if known else "its recipe is damaged; open a run as it was saved")
            return
        done = partial(self._replay, recipe, trace)
        self.making = Errand(self.session.training.runner, done, self._refuse, page_problem, recipe)

    def _replay(self, recipe: Recipe, trace: Trace, made: tuple[Problem, Dataset | None]) -> None:
        """Show the run, once it is known to be of the problem of its recipe."""
        try:
            check_same_problem(trace, made[0])
        except Refused as refusal:
            self._refuse(str(refusal))
            return
        self._let_go()
        keep_problem(recipe, made)
        self.session.apply(recipe)
        self.session.replay(trace, resume=True)
        self.notice(ELSEWHERE, "info")

    def _refuse(self, why: str) -> None:
        """Explain why a bundle is not opened."""
        self._let_go()
        self.notice(f"The bundle cannot be opened: {why}")

    def _let_go(self) -> None:
        """Wait for no bundle."""
        for errand in (self.reading, self.making):
            if errand is not None:
                errand.close()
        self.reading = self.making = None

    def files(self) -> Any:
        """Buttons for files, for the sidebar."""
        return pn.Column(self.zip, self.csv, self.film, self.upload, sizing_mode="stretch_width", margin=0)
