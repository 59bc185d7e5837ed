"""A place to drop files on, or to choose them at: they come in pieces, so that no message is too long for the
connection.

The browser says how large a file is before it sends anything; what is too large is refused there with a
sentence, and counted again here: a browser can be made to say anything.
"""

import base64
import binascii
from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from explorer.session.uploads.bundles import MOST_FILES
from explorer.session.uploads.store import MOST_BYTES, safe_name

LOOK = """
:host { display: block; }
label { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 6px;
  min-height: 200px; padding: 18px; box-sizing: border-box; text-align: center; cursor: pointer;
  color: var(--text); background: var(--panel); border: 2px dashed var(--muted); border-radius: 14px;
  transition: border-color 0.15s, background 0.15s; }
label:hover, label.over, label:focus-within { border-color: var(--link); background: var(--tint); }
label:focus-within { outline: 2px solid var(--link); outline-offset: 2px; }
input { position: absolute; width: 1px; height: 1px; opacity: 0; }
svg { width: 44px; height: 44px; color: var(--link); }
label.slim { flex-direction: row; flex-wrap: wrap; gap: 6px 12px; min-height: 56px; padding: 8px 14px;
  border-width: 1px; border-radius: 10px; }
.slim svg { width: 22px; height: 22px; }
.slim .big { font-size: var(--type-small, 14px); font-weight: 500; }
.words:empty, .wrong:empty { display: none; }
.big { font-size: var(--type-large, 20px); font-weight: 600; }
.words { font-size: var(--type-small, 14px); color: var(--muted); max-width: 62ch; line-height: 1.45; }
progress { width: min(320px, 80%); accent-color: var(--link); }
.wrong { color: var(--wrong); font-size: var(--type-small, 14px); }
@media (prefers-reduced-motion: reduce) { label { transition: none; } }
"""


class DropZone(JSComponent):
    """Calls `brought({name: bytes})` with the files that were dropped or chosen together."""

    title = param.String("Drop a file here, or press to choose one")
    words = param.String("")
    most = param.Integer(MOST_BYTES)
    most_files = param.Integer(MOST_FILES)

    _esm = """
    const PIECE = 480000
    const ICON = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6"
      stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M12 16V4m0 0L7 9m5-5 5 5"/>
      <path d="M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3"/></svg>`
    const made = (name, look, text = "") => {
      const one = document.createElement(name)
      one.className = look
      one.textContent = text
      return one
    }
    const encoded = (piece) => new Promise((resolve, reject) => {
      const reader = new FileReader()
      reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1))
      reader.onerror = () => reject(reader.error)
      reader.readAsDataURL(piece)
    })
    export function render({ model, el }) {
      const label = made("label", ""), input = document.createElement("input")
      const title = made("span", "big", model.title), words = made("span", "words", model.words)
      const bar = document.createElement("progress"), wrong = made("span", "wrong")
      wrong.setAttribute("role", "alert")
      bar.setAttribute("aria-label", "Bringing the file")
      bar.hidden = true
      input.type = "file"
      input.multiple = model.most_files > 1
      label.innerHTML = ICON
      label.append(input, title, words, bar, wrong)
      el.append(label)
      let busy = false
      const send = async (list) => {
        const files = [...list]
        if (busy || !files.length) return
        const size = files.reduce((sum, file) => sum + file.size, 0)
        wrong.textContent = ""
        if (size > model.most || files.length > model.most_files) {
          wrong.textContent = files.length > model.most_files
            ? `These are ${files.length} files; give at most ${model.most_files}.`
            : `${files[0].name} has ${Math.ceil(size / 1e6)} MB, and a page takes ${model.most / 1e6}: ` +
              "give a part of it, or train on it on the command line."
          return
        }
        busy = true
        const turn = Math.random().toString(36).slice(2)
        const told = files.map((file) => ({ name: file.name, size: file.size }))
        model.send_msg({ begin: turn, files: told })
        bar.max = Math.max(size, 1)
        bar.value = 0
        bar.hidden = files.length === 0 || size < PIECE
        try {
          for (const [k, file] of files.entries()) {
            for (let at = 0; at < file.size; at += PIECE) {
              const piece = file.slice(at, at + PIECE)
              model.send_msg({ turn, file: k, piece: await encoded(piece) })
              bar.value += piece.size
            }
          }
          model.send_msg({ end: turn })
        } catch (error) {
          wrong.textContent = `The file cannot be read: ${error.message}`
        }
        bar.hidden = true
        busy = false
        input.value = ""
      }
      input.addEventListener("change", () => send(input.files))
      for (const name of ["dragenter", "dragover"]) {
        label.addEventListener(name, (event) => { event.preventDefault(); label.classList.add("over") })
      }
      for (const name of ["dragleave", "drop"]) {
        label.addEventListener(name, (event) => { event.preventDefault(); label.classList.remove("over") })
      }
      label.addEventListener("drop", (event) => send(event.dataTransfer.files))
      const tell = () => {
        title.textContent = model.title
        words.textContent = model.words
        label.classList.toggle("slim", !model.words)
      }
      model.on("title", tell)
      model.on("words", tell)
      tell()
    }
    """

    def __init__(self, brought: Callable[[dict[str, bytes]], None], **params: Any) -> None:
        super().__init__(stylesheets=[LOOK], sizing_mode="stretch_width", **params)
        self._brought = brought
        self._turn = ""
        self._names: list[str] = []
        self._sizes: list[int] = []
        self._pieces: list[bytearray] = []

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        if isinstance(data.get("begin"), str):
            self._begin(data)
        elif data.get("turn") == self._turn and self._turn:
            self._take(data)
        elif data.get("end") == self._turn and self._turn:
            self._end()

    def _begin(self, data: dict[str, Any]) -> None:
        """Make room for files of these sizes, if they are not too large."""
        told = data.get("files")
        sound = isinstance(told, list) and 1 <= len(told) <= self.most_files
        sound = sound and all(
            isinstance(one, dict) and isinstance(one.get("name"), str) and type(one.get("size")) is int
            for one in told
        )
        if not sound or not 0 <= sum(one["size"] for one in told) <= self.most:
            self._turn = ""
            return
        self._turn = data["begin"]
        self._names = [safe_name(one["name"]) for one in told]
        self._sizes = [one["size"] for one in told]
        self._pieces = [bytearray() for _ in told]

    def _take(self, data: dict[str, Any]) -> None:
        """One more piece of a file; more than was told ends the turn."""
        at, piece = data.get("file"), data.get("piece")
        if type(at) is not int or not 0 <= at < len(self._pieces) or not isinstance(piece, str):
            self._turn = ""
            return
        try:
            self._pieces[at] += base64.b64decode(piece, validate=True)
        except binascii.Error:
            self._turn = ""
            return
        if len(self._pieces[at]) > self._sizes[at]:
            self._turn, self._pieces = "", []

    def _end(self) -> None:
        whole = all(len(one) == size for one, size in zip(self._pieces, self._sizes, strict=True))
        files = {name: bytes(one) for name, one in zip(self._names, self._pieces, strict=True)}
        self._turn, self._pieces = "", []
        if whole:
            self._brought(files)


__all__ = ["DropZone"]
