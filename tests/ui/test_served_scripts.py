"""`panel serve explorer/pages/studio.py` answers with the same app."""

import asyncio
import json
import re
import signal
import subprocess
import sys
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from tests.ui.settling import answers
from tests.waiting import PATIENCE, wait_until

SCRIPT = Path(__file__).parents[2] / "explorer" / "pages" / "studio.py"


def fetched(address: str, process: subprocess.Popen[bytes]) -> str:
    """The page, as soon as the server gives it."""
    wait_until(lambda: answers(address, process))
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.read().decode()


async def document(port: int, html: str) -> str:
    """The document that the page's websocket hands out."""
    found = re.search(r'"token":\s*"([^"]+)"', html)
    assert found, html[:500]
    request = HTTPRequest(f"ws://localhost:{port}/studio/ws", headers={"Origin": f"http://localhost:{port}"})
    socket = await websocket_connect(request, subprotocols=["bokeh", found[1]], max_message_size=100 << 20)
    assert "ACK" in str(await socket.read_message()), "the server greets before it can be asked"
    for part in ({"msgid": uuid.uuid4().hex, "msgtype": "PULL-DOC-REQ"}, {}, {}):
        await socket.write_message(json.dumps(part))
    while "PULL-DOC-REPLY" not in str(message := await socket.read_message())[:200]:
        assert message is not None, "the server hung up"
    await socket.read_message()
    content = str(await socket.read_message())
    socket.close()
    return content


def test_panel_serves_the_studio_from_its_script(port: int) -> None:
    command = [
        sys.executable,
        "-m",
        "panel",
        "serve",
        str(SCRIPT),
        "--port",
        str(port),
        "--unused-session-lifetime",
        "60000",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        html = fetched(f"http://localhost:{port}/studio", process)
        with ThreadPoolExecutor(1) as thread:  # the browser's event loop may already run on this one
            text = thread.submit(asyncio.run, document(port, html)).result(PATIENCE)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
    assert "Explorer" in html + text
    assert "Stopped: the relative gap" in text
