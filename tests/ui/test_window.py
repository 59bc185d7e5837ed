"""`explorer serve --window`: the app in a native window, or a sentence about what is missing."""

import socket
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from explorer.__main__ import main
from explorer.command_line import serve as serving
from explorer.dashboards import window


def test_the_window_shows_the_served_app_and_its_closing_ends_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[Any] = []
    library = SimpleNamespace(
        create_window=lambda title, address, **size: said.append(address), start=lambda: said.append("shown")
    )
    server = SimpleNamespace(stop=lambda: said.append("stopped"))
    monkeypatch.setitem(sys.modules, "webview", library)
    monkeypatch.setattr(serving, "get_ready", lambda say: said.append("compiled"))
    monkeypatch.setattr(window, "serve", lambda **options: said.append(options["address"]) or server)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert main(["serve", "--window", "--port", str(port)]) == 0
    assert said == ["compiled", "127.0.0.1", f"http://localhost:{port}", "shown", "stopped"]


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "webview", None)
    monkeypatch.setattr(serving, "get_ready", lambda say: pytest.fail("it compiles before it refuses"))
    assert main(["serve", "--window"]) == 2
    assert "pip install 'ssvm-explorer[desktop]'" in capsys.readouterr().err
