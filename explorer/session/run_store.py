"""Finished runs kept on disk from one start of the program to the next, so that a page has something to show
at once.

A run is found by its recipe and by a stamp of the engine's source: another engine trains anew. Files are run
bundles, read as carefully as any from outside. The folder is EXPLORER_RUNS, or one in the user's cache; where
it cannot be written, nothing is kept and nothing is lost. At most MOST files stay, those used last.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

import explorer.engine
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved as bundle
from explorer.engine.runs.trace import Trace

MOST = 80
LARGEST = 30 << 20
"""A run that takes more bytes than this is not kept."""


def folder() -> Path:
    """Where runs are kept."""
    named = os.environ.get("EXPLORER_RUNS", "")
    return Path(named) if named else Path.home() / ".cache" / "ssvm-explorer" / "runs"


@cache
def stamp() -> str:
    """What the engine's source says, as a few letters."""
    text = hashlib.sha256()
    for source in sorted(Path(explorer.engine.__file__).parent.rglob("*.py")):
        text.update(source.read_bytes())
    return text.hexdigest()[:16]


def place(recipe: Recipe) -> Path:
    """The file of the recipe's run."""
    return folder() / f"{hashlib.sha256(f'{stamp()} {recipe.key()}'.encode()).hexdigest()[:32]}.zip"


def stored_run(recipe: Recipe) -> Trace | None:
    """The run, if it is on the shelf and whole."""
    try:
        found = bundle.load(place(recipe)).trace
        place(recipe).touch()
    except (Refused, OSError):
        return None
    return found


def keep(recipe: Recipe, trace: Trace) -> None:
    """Put a run on the shelf; where that cannot be done, do without."""
    try:
        content = bundle.to_bytes(recipe.plain(), trace)
        folder().mkdir(parents=True, exist_ok=True)
        if len(content) <= LARGEST:
            bundle.replace_whole(place(recipe), content)
            tidy()
    except (Refused, OSError):
        return


def tidy() -> None:
    """Let the files go that were used longest ago."""
    files = sorted(folder().glob("*.zip"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[MOST:]:
        file.unlink(missing_ok=True)
