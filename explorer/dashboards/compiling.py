"""Kernels that the first page does not need are compiled by a background process while it is already open.

Until that is done, a quiet line in the title bar of every page says how far it is. Another task that is
opened meanwhile waits for its kernels, which are then compiled where they are called.
"""

import atexit
import logging
import subprocess
import sys
from typing import Any

import panel as pn

from explorer.engine.compiled import is_compiled

COMMAND = [sys.executable, "-m", "explorer", "warmup", "--background"]
BEAT = 1000
"""Milliseconds between two looks at how far it is."""

QUIET = {
    "color": "inherit",
    "opacity": "0.75",
    "font-size": "var(--type-small, 14px)",
    "line-height": "1.3",
    "white-space": "nowrap",
    "flex": "1 1 0",
}
QUIET |= {"min-width": "0", "overflow": "hidden"}
"""On the title bar, in the room that is left there: it pushes nothing aside."""


class Compiling:
    """What the background process compiles, in words; empty when there is nothing to compile."""

    def __init__(self) -> None:
        self.words = ""

    def announce(self) -> None:
        """Let pages say that it is about to begin, if anything is left to compile."""
        self.words = "" if is_compiled("all") else "in a moment"

    def finish(self) -> None:
        """Have everything compiled; returns when that is done, or has ended for another reason."""
        if not self.words:
            return
        process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        atexit.register(process.terminate)
        assert process.stdout is not None
        for line in process.stdout:
            self.words = line.strip()
        if process.wait():
            logging.getLogger("explorer").warning(
                "compiling for other tasks ended early: they compile when opened"
            )
        self.words = ""


COMPILING = Compiling()


class CompilingLine(pn.viewable.Viewer):
    """The quiet line of a page: how far it is, looked up every second until it is done."""

    def __init__(self) -> None:
        super().__init__()
        self.pane = pn.pane.HTML(
            self._text(), styles=QUIET, sizing_mode="stretch_width", align="center", margin=(0, 12)
        )
        self._beat = pn.state.add_periodic_callback(self.look, period=BEAT) if COMPILING.words else None

    def _text(self) -> str:
        return f"Compiling for other tasks:<br>{COMPILING.words}" if COMPILING.words else ""

    def look(self) -> None:
        """Say how far it is; when it is done, fall silent."""
        self.pane.object = self._text()
        if not COMPILING.words:
            self.close()

    def close(self) -> None:
        """Look no more."""
        if self._beat is not None:
            self._beat.stop()
            self._beat = None

    def __panel__(self) -> Any:
        return self.pane
