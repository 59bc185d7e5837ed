"""Run as a script: serve the studio, let visitors come and go over real connections, and say what is left of
them.

    python tests/ui/visits.py 10 50 PORT
        -> one line of JSON: what was left after 10 visits, and after 50 more
    python tests/ui/visits.py class 20 PORT
        -> one line of JSON: the slices that 20 who train at once are given, and how they are answered

Visitors do what a browser does (fetch the page, open its websocket, ask for the document), press play, and
leave. They come through the same event loop that serves them, so that nothing but the server can keep
anything alive.
"""

import asyncio
import gc
import json
import re
import sys
import threading
import time
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
from explorer.dashboards.studio.page import Studio
from explorer.session.runner import Inboxes
from explorer.session.state import Session
from explorer.views.kit.view import View
from tests.waiting import PATIENCE

OURS = (Session, Studio, Shell, View, Document)


async def enter(server: Any, port: int, query: str = "") -> tuple[Any, Session, Any]:
    """Open the page; returns the visitor's connection, session and document."""
    known = {id(session) for session in alive(Session)}
    page = await AsyncHTTPClient().fetch(f"http://localhost:{port}/studio{query}", request_timeout=PATIENCE)
    found = re.search(r'"token":\s*"([^"]+)"', page.body.decode())
    assert found, "the page holds no token"
    request = HTTPRequest(f"ws://localhost:{port}/studio/ws", headers={"Origin": f"http://localhost:{port}"})
    socket = await websocket_connect(request, subprotocols=["bokeh", found[1]], max_message_size=100 << 20)
    assert "ACK" in str(await socket.read_message()), "the server greets before it can be asked"
    for part in ({"msgid": uuid.uuid4().hex, "msgtype": "PULL-DOC-REQ"}, {}, {}):
        await socket.write_message(json.dumps(part))
    while "PULL-DOC-REPLY" not in str(message := await socket.read_message())[:200]:
        assert message is not None, "the server hung up"
    mine = next(session for session in alive(Session) if id(session) not in known)
    return socket, mine, server.get_session("/studio", get_session_id(found[1])).document


async def visit(server: Any, port: int) -> None:
    """Open the page, start training, leave without a word."""
    socket, mine, document = await enter(server, port)
    await is_there(socket)
    document.add_next_tick_callback(mine.play)
    while mine.status != "running":
        await asyncio.sleep(0.01)
    socket.close()
    while await socket.read_message() is not None:  # what is still under way, so that this end is gone too
        pass


def alive(*kinds: type) -> list[Any]:
    """The living objects of these kinds."""
    return [thing for thing in gc.get_objects() if isinstance(thing, kinds)]


async def left(server: Any) -> dict[str, Any]:
    """What is alive once the server has let go of unused sessions, and their timers have rung."""
    ends = time.monotonic() + PATIENCE
    while (server.get_sessions("/studio") or app.runner().sessions() or len(alive(Session)) > 1) and (
        time.monotonic() < ends
    ):
        await asyncio.sleep(0.2)
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
            await asyncio.wait_for(visit(server, port), PATIENCE)
        found[name] = await left(server)
    return found


READY = {"type": "event", "name": "document_ready", "values": {"type": "map", "entries": []}}


async def is_there(socket: Any) -> None:
    """Say what a browser says when it shows the page."""
    said = {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": READY}]}
    for part in ({"msgid": uuid.uuid4().hex, "msgtype": "PATCH-DOC"}, {}, said):
        await socket.write_message(json.dumps(part))


LONG = "?v=1&task=digit-words&data.n=300&learner=one-slack&set.C=10000&set.eps=1e-9"
LONG += "&rule.relative_gap=1e-9&rule.steps=100000"
SLICES = 3
"""How often everybody is given a turn before anybody is asked."""


async def read(socket: Any, heard: list[float]) -> None:
    """Keep when the server showed step 0 to a visitor."""
    while (message := await socket.read_message()) is not None:
        if "Step 0 of" in str(message):
            heard.append(time.monotonic())


def counted() -> list[str]:
    """Who is given a slice by the workers, in order: a message is a slice."""
    slices: list[str] = []
    put = Inboxes.put

    def note(boxes: Inboxes, name: str, events: Any) -> None:
        slices.append(name)
        put(boxes, name, events)

    Inboxes.put = note
    return slices


async def lesson(server: Any, port: int, count: int, slices: list[str]) -> dict[str, Any]:
    """Several visitors train at once: who is given a slice, and how long it takes until step 0 is shown on
    a page.
    """
    server.start()
    people, heard = [], []
    for _ in range(count):
        socket, mine, document = await asyncio.wait_for(enter(server, port, LONG), PATIENCE)
        await is_there(socket)
        heard.append([])
        people.append((mine, document, asyncio.ensure_future(read(socket, heard[-1]))))
    names = [mine.training.key for mine, *_ in people]
    while min(slices.count(name) for name in names) < SLICES:
        await asyncio.sleep(0.1)
    classes = {id(desk): sorted(desk.sessions) for desk in app.runner()._workers}
    given, seconds = [name for name in slices if name in names], []
    for (mine, document, _), said in zip(people, heard, strict=True):
        said.clear()
        asked = time.monotonic()
        document.add_next_tick_callback(lambda mine=mine: mine.seek(0))
        while not said and time.monotonic() - asked < PATIENCE:
            await asyncio.sleep(0.002)
        seconds += [said[0] - asked] if said else []
    running = [mine.status for mine, *_ in people]
    for _, _, reader in people:
        reader.cancel()
    return {
        "workers": list(classes.values()),
        "slices": given,
        "seconds": seconds,
        "running": running.count("running"),
    }


def main() -> None:
    """Serve and visit."""
    crowd = sys.argv[1] == "class"
    warm, count, port = (0 if crowd else int(sys.argv[1]), *map(int, sys.argv[2:]))
    # What a server prepares meanwhile would be counted too.
    app.gallery.train_all = app.first_race = lambda *_: None
    app.COMPILING.finish = lambda: None
    app.studies.get_ready = app.lab.get_ready = app.clustering_lab.get_ready = lambda *_: None
    quick = {"unused_session_lifetime_milliseconds": 3000, "check_unused_sessions_milliseconds": 200}
    slices = counted()
    server = app.serve(port=port, start=False, **quick)
    go = (
        (lambda: lesson(server, port, count, slices))
        if crowd
        else (lambda: visits(server, port, warm, count))
    )
    print(json.dumps(server.io_loop.run_sync(go)))  # noqa: T201
    app.runner().close()


if __name__ == "__main__":
    main()
