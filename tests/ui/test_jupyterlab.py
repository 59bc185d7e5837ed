"""The studio in JupyterLab, in a real browser: what a busy kernel and a page that is not looked at must not
spoil.

One lab, one page and one kernel for all tests: they are read in order.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.ui.conftest import free_port
from tests.ui.settling import HANGS, answers
from tests.waiting import wait_until

CELLS = {
    "studio": """
import explorer
problem = explorer.Recipe("circle").problem()[0]
studio = explorer.explore(problem)
studio""",
    "played": """
own = explorer.explore(problem)
own.session.play()
own""",
    "collected": """
while own.session.status == "running":
    own.session.collect()
print(own.session.message)""",
    "tall": "print('\\n' * 200)",
    "busy": """
from pathlib import Path
while not Path("go").exists():
    sum(range(1000))""",
    "beside": "explorer.view('bounds', studio)",
    "last": "print(len(studio.session.trace), 'steps')",
}
UNTRAINED = re.compile("Nothing (is )?trained yet")
AT = {name: at for at, name in enumerate(CELLS)}

RUN = """(at) => {
  const book = jupyterapp.shell.currentWidget.content
  book.activeCellIndex = at
  book.deselectAll()
  return jupyterapp.commands.execute("notebook:run-cell")
}"""
SHOW = """async (at) => {
  const book = jupyterapp.shell.currentWidget.content
  book.activeCellIndex = at
  await book.scrollToItem(at, "start")
}"""
PRIMALS = """() => Bokeh.documents.flatMap((shown) => [...shown._all_models.values()])
  .filter((model) => model.type == "ColumnDataSource")
  .map(({ data }) => data instanceof Map ? Object.fromEntries(data) : data)
  .filter((data) => data.primal && data.dual && data.best)
  .map((data) => Array.from(data.primal))"""


class Lab:
    """A page of JupyterLab with a notebook, and all that went wrong on it."""

    def __init__(self, page: Page, address: str, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.elsewhere: list[str] = []
        self.faults: list[str] = []
        page.on("request", lambda request: self._ask(request.url, address))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        page.goto(f"{address}/lab/tree/book.ipynb?reset")
        page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context?.sessionContext")
        page.evaluate("""async () => {
          const { context } = jupyterapp.shell.currentWidget
          await context.ready
          await context.sessionContext.ready
        }""")

    def _ask(self, url: str, address: str) -> None:
        if not url.startswith((address, address.replace("http", "ws"), "data:", "blob:")):
            self.elsewhere.append(url)

    def run(self, *names: str) -> None:
        """Run cells, one after the other, to their ends."""
        for name in names:
            self.page.evaluate(RUN, AT[name])

    def begin(self, name: str) -> None:
        """Begin to run a cell."""
        self.page.evaluate(f"(at) => {{ ({RUN})(at) }}", AT[name])

    def show(self, name: str) -> None:
        """Scroll to a cell."""
        self.page.evaluate(SHOW, AT[name])

    def output(self, name: str) -> Any:
        """What stands below a cell."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(AT[name]).locator(".jp-Cell-outputWrapper")

    def primals(self) -> list[list[float]]:
        """The upper curve of every chart of bounds, as the browser has it."""
        found: list[list[float]] = self.page.evaluate(PRIMALS)
        return found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A lab that asks nothing of anybody, with one notebook."""
    folder, home = tmp_path_factory.mktemp("books"), tmp_path_factory.mktemp("jupyter")
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in CELLS.values()]
    kernel = {"kernelspec": {"display_name": "Python 3", "name": "python3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "book.ipynb")
    settings = home / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(json.dumps({"fetchNews": "false"}))
    port = free_port()
    places = {name: str(home) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"),
            *("--ServerApp.port_retries=0", "--IdentityProvider.token=", "--expose-app-in-browser"),
            *("--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"),
        ],
        cwd=folder,
        env={**os.environ, **places, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: answers(f"http://localhost:{port}/api", process))
    yield f"http://localhost:{port}", folder
    process.send_signal(signal.SIGTERM)
    process.wait()


@pytest.fixture(scope="module")
def lab(browser: Browser, address: tuple[str, Path]) -> Iterator[Lab]:
    context = browser.new_context(viewport={"width": 1500, "height": 900})
    page = context.new_page()
    page.set_default_timeout(HANGS)
    yield Lab(page, *address)
    context.close()


def test_what_a_page_missed_while_it_was_made_is_shown_when_it_is_there(lab: Lab) -> None:
    lab.run("studio", "played", "collected")
    expect(lab.output("collected")).to_contain_text("relative gap")
    lab.show("played")
    expect(lab.output("played").get_by_text("Stopped").first).to_be_visible()
    expect(lab.output("played").get_by_text(UNTRAINED)).to_have_count(0)


def test_a_click_on_a_studio_out_of_sight_of_a_busy_kernel_loses_nothing(lab: Lab) -> None:
    lab.run("tall")
    lab.show("studio")
    play = lab.output("studio").get_by_role("button", name="Play").first
    expect(play).to_be_visible()
    lab.begin("busy")
    play.click()
    lab.show("last")
    (lab.folder / "go").touch()
    lab.run("beside", "last")
    lab.show("studio")
    expect(lab.output("studio").get_by_text("Stopped").first).to_be_visible()
    wait_until(lambda: lab.primals() and all(len(shown) == 3 for shown in lab.primals()))
    expect(lab.output("studio").get_by_text(UNTRAINED)).to_have_count(0)


def test_the_notebooks_own_keys_do_not_drive_the_studio(lab: Lab) -> None:
    lab.page.evaluate("document.activeElement.blur()")
    lab.page.keyboard.press("r")
    lab.run("last")
    expect(lab.output("last")).to_contain_text("3 steps")


def test_captions_are_lines_not_columns(lab: Lab) -> None:
    lab.show("studio")
    captions = lab.output("studio").locator(".view-sentence p")
    expect(captions.first).to_be_visible()
    for box in (caption.bounding_box() for caption in captions.all() if caption.is_visible()):
        assert box is not None
        assert box["width"] > 4 * box["height"], box


def test_nothing_is_asked_of_another_host_and_no_message_is_garbled(lab: Lab) -> None:
    lab.show("beside")
    expect(lab.output("beside").get_by_text("Stopped").first).to_be_visible()
    assert lab.elsewhere == []
    assert lab.faults == []
