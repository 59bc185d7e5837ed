"""The app in a window of its own, for people who do not want a browser tab; needs the extra `desktop`."""

import contextlib
import socket
import time
from typing import Any

from explorer.dashboards.app import TITLE, serve
from explorer.engine.refusals import Refused
from explorer.extras import how_to_get

WITHOUT = "or leave out --window"
SIZE = {"width": 1360, "height": 860, "min_size": (900, 600)}


def webview() -> Any:
    """The library that opens windows; refused with what to install when it is not there."""
    try:
        import webview as found
    except ImportError:
        raise Refused(f"{how_to_get('webview')}, {WITHOUT}") from None
    return found


def wait_for(port: int, seconds: float = 60.0) -> None:
    """Return once somebody listens: a window that comes too early shows an error."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
            return
        time.sleep(0.05)
    raise Refused(f"the server did not start within {seconds:g} s; see what `explorer serve` says")


def open_window(port: int = 5006, **options: Any) -> None:
    """Serve on this machine alone and show the app in a window; ends when the window is closed.

    The window needs the main thread, so the server gets another one.
    """
    library = webview()
    server = serve(port=port, address="127.0.0.1", show=False, threaded=True, **options)
    try:
        wait_for(port)
        library.create_window(TITLE, f"http://localhost:{port}", **SIZE)
        library.start()
    finally:
        server.stop()


__all__ = ["open_window"]
