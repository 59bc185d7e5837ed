"""What a notebook cell shows: offline, drawn by the kernel's main thread alone, losing nothing.

Outside a server every Material widget would carry the script of all of them, a studio 90 MB, and no icons:
here the notebook gets script and icon fonts once, and the widgets of a cell only say where they are.

JupyterLab lets a page speak to the kernel on a thread of its own, also while a cell is busy. Two threads that
draw at once mix up their messages, and charts stay empty; so what a page says waits for the main thread.
"""

import json
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.custom import JSComponent
from tornado.ioloop import IOLoop

from explorer.dashboards.outbox import Outbox
from explorer.dashboards.shell import CSS

KEEP = """
window.explorerWidgets ??= URL.createObjectURL(new Blob([SCRIPT], {type: "text/javascript"}))
for (const [name, data] of Object.entries(FONTS))
  new FontFace(name, `url(data:font/woff2;base64,${data})`).load().then((font) => document.fonts.add(font))
"""
FIND = "export default (await importShim(window.explorerWidgets)).default"


ICONS = """
.material-icons, .material-icons-outlined {
  font-family: "Material Icons"; font-style: normal; font-weight: normal; font-feature-settings: "liga";
  line-height: 1; letter-spacing: normal; text-transform: none; white-space: nowrap; }
.material-icons-outlined { font-family: "Material Icons Outlined"; }
"""
"""How an icon's name becomes its picture, for the shadow tree of every widget."""


@lru_cache(maxsize=1)
def script() -> str:
    """The script of all Material widgets."""
    return str(pmui.Button._render_esm())


def fonts() -> dict[str, str]:
    """The icon fonts by name, as text."""
    folder = Path(pmui.__file__).parent / "dist"
    files = {
        "Material Icons Outlined" if "outlined" in path.name else "Material Icons": path
        for path in folder.glob("material-icons-*.woff2")
    }
    return {name: b64encode(path.read_bytes()).decode() for name, path in files.items()}


@lru_cache(maxsize=1)
def prepare() -> bool:
    """Give the notebook what all cells need, once; says whether there is a notebook."""
    pn.extension(inline=True, raw_css=[CSS], console_output="disable")
    try:
        from IPython import get_ipython
        from IPython.display import Javascript, display
    except ImportError:
        return False
    if get_ipython() is None:
        return False
    text = KEEP.replace("FONTS", json.dumps(fonts())).replace("SCRIPT", json.dumps(script()))
    display(Javascript(text.replace("</", "<\\/")))
    return True


class Arrival(JSComponent):
    """Nothing to see: it says that the page is drawn, and may be told of changes.

    Panel's page sends back whatever it is told. Where the kernel was busy it has gone on meanwhile, and would
    be taken back to an earlier state: so what is told is not sent back.
    """

    _esm = """
    export function render({ model, el, view }) {
      el.style.display = "none"
      for (const post of view.model.document.roots()) {
        if (!post.msg_handler || !post._document_changed) continue
        let told = false
        const take = post.msg_handler.bind(post), tell = post._document_changed.bind(post)
        post._document_changed = (event) => told || tell(event)
        post.msg_handler = (message) => {
          told = true
          try { take(message) } finally { told = false }
        }
      }
      model.send_msg("drawn")
    }
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)

    def _handle_msg(self, data: Any) -> None:
        page = pn.state.curdoc
        if page is not None and isinstance(page.callbacks, Outbox):
            page.callbacks.listen()


class Cell(pn.Column):
    """What a cell shows; its widgets share one script. Shown again elsewhere, it moves there."""

    def __init__(self, *shown: Any, **params: Any) -> None:
        super().__init__(*shown, Arrival(), **params)

    def get_root(self, doc: Any = None, comm: Any = None, preprocess: bool = True) -> Any:
        """The models of the cell, in a document that keeps its changes until the page is there."""
        if comm is None or not prepare():
            return super().get_root(doc, comm, preprocess)
        doc.callbacks = box = Outbox(doc, comm, script(), FIND, ICONS)
        root = super().get_root(doc, comm, preprocess)
        box.bring_along(root.references())
        return root

    def _render_mimebundle(self, model: Any, doc: Any, comm: Any, location: Any = None) -> Any:
        bundle = super()._render_mimebundle(model, doc, comm, location)
        _, page = self._comms[model.ref["id"]]
        page._handle_msg = on_main_thread(page._handle_msg)
        if isinstance(doc.callbacks, Outbox):
            doc.callbacks.start()
        return bundle


def on_main_thread(act: Callable[..., Any]) -> Callable[..., None]:
    """The same, done by the thread that asks for this, when it is free."""
    loop = IOLoop.current()
    return lambda *given: loop.add_callback(act, *given)


__all__ = ["Cell", "prepare"]
