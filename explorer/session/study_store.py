"""Finished studies kept on disk beside the finished runs, so that a page has rows to show at once.

A result is found by its study, all its settings and the stamp of the engine's source. Files are JSON and read
with distrust: one that does not say exactly what is asked for is as good as none.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from explorer.engine.runs import saved as bundle
from explorer.session.run_store import folder, stamp
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Cell, Finding, Row, Study

MOST = 60
LARGEST = 8 << 20
"""A result that takes more bytes than this is not kept."""


@dataclass(frozen=True, slots=True)
class Result:
    """A study that was run to its end: its rows, what they come to, and how many seconds it worked."""

    study: Study
    rows: tuple[Row, ...]
    table: tuple[Row, ...]
    findings: tuple[Finding, ...]
    seconds: float


def settings(study: Study) -> dict[str, Any]:
    """All knobs of a study, with their values."""
    return asdict(study)


def tree(result: Result) -> dict[str, Any]:
    """A result as JSON has it."""
    return {
        "study": result.study.name,
        "settings": settings(result.study),
        "seconds": result.seconds,
        "rows": [dict(found) for found in result.rows],
        "table": [dict(found) for found in result.table],
        "findings": [asdict(finding) for finding in result.findings],
    }


def place(study: Study) -> Path:
    """The file of the study with these settings."""
    key = json.dumps([stamp(), study.name, settings(study)], sort_keys=True)
    return folder() / f"study-{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def keep(result: Result) -> None:
    """Put a result on the shelf; where that cannot be done, do without."""
    try:
        content = json.dumps(tree(result), allow_nan=False).encode()
        if len(content) <= LARGEST:
            folder().mkdir(parents=True, exist_ok=True)
            bundle.replace_whole(place(result.study), content)
            tidy()
    except (OSError, ValueError):
        return


def stored_result(study: Study) -> Result | None:
    """The result of this study with these settings, if it is on the shelf and whole."""
    path = place(study)
    try:
        if path.stat().st_size > LARGEST:
            return None
        found = read(study, json.loads(path.read_bytes()))
        path.touch()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return found


def read(study: Study, said: Any) -> Result:
    """A result from JSON; anything else is an error of some kind."""
    if (said["study"], said["settings"]) != (study.name, settings(study)):
        raise ValueError("this is the result of another study")
    rows, table = (_rows(said[name], study) for name in ("rows", "table"))
    return Result(study, rows, table, tuple(map(_finding, said["findings"])), float(said["seconds"]))


def _rows(said: Sequence[Any], study: Study) -> tuple[Row, ...]:
    names = {column.name for column in study.columns}
    if not all(set(cells) <= names and all(map(_plain, cells.values())) for cells in said):
        raise ValueError("a row has a cell that its study does not know")
    return tuple(Row(tuple(cells.items())) for cells in said)


def _plain(value: Cell) -> bool:
    return isinstance(value, str | int | float) and value == value


def _finding(said: Any) -> Finding:
    found = Finding(**{name: str(said[name]) for name in ("claim", "verdict", "evidence")})
    if found.verdict not in (HELD, NOT_HELD, OPEN):
        raise ValueError("a finding is held, not held or open")
    return found


def tidy() -> None:
    """Let the files go that were used longest ago."""
    files = sorted(folder().glob("study-*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[MOST:]:
        file.unlink(missing_ok=True)


__all__ = ["Result", "keep", "settings", "stored_result", "tree"]
