"""The studio in a notebook: the sample runs offline, and a busy kernel loses no step."""

from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

import explorer
from explorer.session.shared_runs import shared_run
from tests.waiting import PATIENCE, wait_until

BOOKS = Path(__file__).parents[2] / "assets"
SMALL = explorer.Recipe("digit-words", data={"n": 20, "n_test": 5}, settings={"C": 5.0})


def shown(cell: Any) -> list[str]:
    """The outputs of a cell as HTML."""
    return [out["data"]["text/html"] for out in cell.get("outputs", ()) if "text/html" in out.get("data", {})]


@pytest.fixture(scope="module", params=["explore", "own_data"])
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A notebook of ours, executed in an empty folder."""
    book = nbformat.read(BOOKS / f"{request.param}.ipynb", as_version=4)
    place = {"metadata": {"path": tmp_path_factory.mktemp("book")}}
    NotebookClient(book, timeout=int(PATIENCE), kernel_name="python3", resources=place).execute()
    return book


def code(book: Any, called: str) -> list[Any]:
    """The cells that call something."""
    return [cell for cell in book.cells if cell.cell_type == "code" and called in cell.source]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_sample_notebook_runs_and_its_pages_are_small_and_ask_nothing_of_other_hosts(book: Any) -> None:
    cells = [shown(cell) for cell in (*code(book, "explorer.explore("), *code(book, "explorer.view("))]
    assert cells
    for pages in cells:
        assert any("docs_json" in html for html in pages)
        assert not any('src="http' in html or "cdn.holoviz.org/panel" in html for html in pages)
        assert sum(map(len, pages)) < 1_000_000


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pictures_are_kept_where_the_notebook_is_shown_elsewhere(book: Any) -> None:
    drawn = code(book, "explorer.plot.")
    assert drawn
    for cell in drawn:
        assert any("image/png" in out.get("data", {}) for out in cell.outputs)
    html, _ = HTMLExporter(embed_images=True).from_notebook_node(book)
    assert html.count("data:image/png;base64") >= len(drawn)


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
