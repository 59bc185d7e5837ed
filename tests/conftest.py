"""What every test may ask for, and what holds in all of them."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.waiting import Clock

PACKAGE = Path(__file__).parents[1] / "explorer"
CLOCKED = re.compile(r"\btime\.(perf_counter|monotonic|thread_time)\(")
HURRIED = {
    ".".join(("explorer", *source.relative_to(PACKAGE).with_suffix("").parts))
    for folder in ("views", "labs")
    for source in (PACKAGE / folder).rglob("*.py")
    if CLOCKED.search(source.read_text(encoding="utf-8"))
}
"""What computes as much as a page has patience for."""


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a view or a lab computes is whole, however slow the machine is: to them hardly any time passes."""
    for name in HURRIED & set(sys.modules):
        monkeypatch.setattr(sys.modules[name], "time", Clock(tick=1e-6))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data sets named by EXPLORER_DATA; without it the test is skipped."""
    named = os.environ.get("EXPLORER_DATA", "")
    if not named:
        pytest.skip("EXPLORER_DATA is not set: it should name the folder with the real data sets.")
    folder = Path(named)
    if not folder.is_dir():
        pytest.skip(f"EXPLORER_DATA names {folder}, which is not a folder.")
    return folder
