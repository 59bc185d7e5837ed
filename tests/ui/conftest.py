"""A served explorer and a real browser for the tests of this folder."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.ui.settling import HANGS, answers
from tests.waiting import wait_until

CHROMIUM = next(
    (p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None
)
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


expect.set_options(timeout=HANGS)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def port() -> int:
    """A port that nobody listens on."""
    return free_port()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/ui" in str(item.fspath):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session", autouse=True)
def own_shelf(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Servers keep their finished runs here, not among the user's; all workers of one test run share them."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    os.environ["EXPLORER_RUNS"] = str(shared / "runs")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "explorer", "serve", "--port", str(port)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ.copy()
    )
    address = f"http://localhost:{port}"
    wait_until(lambda: answers(f"{address}/race", process))
    yield address
    process.send_signal(signal.SIGTERM)
    process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine: tests/chromium.sh installs it")
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    made = context.new_page()
    made.set_default_timeout(HANGS)
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    yield made
    context.close()
    assert not faults, faults
