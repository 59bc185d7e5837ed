"""The studio in a notebook: the sample runs offline, and a busy kernel loses no step."""

from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import explorer
from explorer.session.shared_runs import shared_run
from tests.waiting import PATIENCE, wait_until

SAMPLE = Path(__file__).parents[2] / "assets" / "explore.ipynb"
SMALL = explorer.Recipe("digit-words", data={"n": 20, "n_test": 5}, settings={"C": 5.0})


def shown(cell: Any) -> list[str]:
    """The outputs of a cell as HTML."""
    return [out["data"]["text/html"] for out in cell.get("outputs", ()) if "text/html" in out.get("data", {})]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_sample_notebook_runs_and_shows_its_pages_offline(tmp_path: Path) -> None:
    book = nbformat.read(SAMPLE, as_version=4)
    NotebookClient(
        book, timeout=int(PATIENCE), kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    cells = [
        shown(cell) for cell in book.cells if "explorer.explore(" in cell.source and cell.cell_type == "code"
    ]
    assert len(cells) == 3
    for pages in cells:
        assert any("docs_json" in html for html in pages)
        assert not any('src="http' in html for html in pages)
        assert sum(map(len, pages)) < 5_000_000


@pytest.mark.filterwarnings("ignore:Both 'variant':PendingDeprecationWarning")
def test_a_busy_kernel_loses_no_step() -> None:
    session = explorer.explore(SMALL).session
    session.reset()
    session.play()
    while not session.training.ended:  # the main thread computes, and collects nothing
        np.linalg.svd(np.ones((40, 40)))
    assert len(session.trace) == 0
    wait_until(lambda: session.status != "running", session.collect)
    whole = shared_run(SMALL)
    assert np.array_equal(session.trace.column("k"), whole.column("k"))
    assert np.array_equal(session.trace.at(-1).w, whole.at(-1).w)
    session.close()
