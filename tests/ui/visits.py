"""Run as a script: serve the studio, let visitors come and go over real connections, and say what is left of them.

    python tests/ui/visits.py 10 50 PORT      -> one line of JSON: what was left after 10 visits, and after 50 more

Visitors do what a browser does (fetch the page, open its websocket, ask for the document), press play, and leave. They come
through the same event loop that serves them, so that nothing but the server can keep anything alive.
"""

import asyncio
import gc
import json
import re
import sys
import threading
import uuid
from collections import Counter
from typing import Any

import psutil
from bokeh.document import Document
from bokeh.util.token import get_session_id
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from explorer.dashboards import app
from explorer.dashboards.shell import Shell
from explorer.dashboards.studio import Studio
from explorer.session.state import Session
from explorer.views.view import View

OURS = (Session, Studio, Shell, View, Document)


async def visit(server: Any, port: int) -> None:
    """Open the page, start training, leave without a word."""
    known = {session.key for session in alive(Session)}
    page = await AsyncHTTPClient().fetch(f"http://localhost:{port}/studio", request_timeout=60)
    found = re.search(r'"token":\s*"([^"]+)"', page.body.decode())
    assert found, "the page holds no token"
    request = HTTPRequest(f"ws://localhost:{port}/studio/ws", headers={"Origin": f"http://localhost:{port}"})
    socket = await websocket_connect(request, subprotocols=["bokeh", found[1]], max_message_size=100 << 20)
    assert "ACK" in str(await socket.read_message()), "the server greets before it can be asked"
    for part in ({"msgid": uuid.uuid4().hex, "msgtype": "PULL-DOC-REQ"}, {}, {}):
        await socket.write_message(json.dumps(part))
    while "PULL-DOC-REPLY" not in str(message := await socket.read_message())[:200]:
        assert message is not None, "the server hung up"
    mine = next(session for session in alive(Session) if session.key not in known)
    server.get_session("/studio", get_session_id(found[1])).document.add_next_tick_callback(mine.play)
    while mine.status != "running":
        await asyncio.sleep(0.01)
    socket.close()
    while await socket.read_message() is not None:  # what is still under way, so that this end is gone too
        pass


def alive(*kinds: type) -> list[Any]:
    """The living objects of these kinds."""
    return [thing for thing in gc.get_objects() if isinstance(thing, kinds)]


async def left(server: Any) -> dict[str, Any]:
    """What is alive once the server has let go of the sessions that nobody uses."""
    for _ in range(50):
        await asyncio.sleep(0.2)
        if not server.get_sessions("/studio"):
            break
    await asyncio.sleep(2.0)  # timers under way hold their session until they ring
    gc.collect()
    family = (psutil.Process(), *psutil.Process().children(recursive=True))
    return {
        "objects": dict(Counter(type(thing).__name__ for thing in alive(*OURS))),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "processes": len(family),
        "seats": app.runner().sessions(),
        "megabytes": sum(one.memory_info().rss for one in family) / 1e6,
    }


async def visits(server: Any, port: int, warm: int, count: int) -> dict[str, Any]:
    """Warm up and visit; what was left before and after."""
    server.start()
    found = {}
    for name, some in (("before", warm), ("after", count)):
        for _ in range(some):
            await asyncio.wait_for(visit(server, port), 60)
        found[name] = await left(server)
    return found


def main() -> None:
    """Serve and visit."""
    warm, count, port = map(int, sys.argv[1:])
    # What a server prepares meanwhile would be counted too.
    app.gallery.train_all = app.first_race = lambda *_: None
    app.studies.get_ready = app.lab.get_ready = app.clustering_lab.get_ready = lambda *_: None
    quick = {"unused_session_lifetime_milliseconds": 3000, "check_unused_sessions_milliseconds": 200}
    server = app.serve(port=port, start=False, **quick)
    print(json.dumps(server.io_loop.run_sync(lambda: visits(server, port, warm, count))))  # noqa: T201
    app.runner().close()


if __name__ == "__main__":
    main()
