"""Names and roles that the widget library leaves out, added in the browser for everyone who listens to the
page.

Help signs carry a text but no role, the buttons beside a number and the progress bar have no name, and the
entries of a menu of choices call themselves menu items. The page is mended when it appears and whenever
something is added to it; every component has a shadow tree of its own, which is watched too. Hints
(`views/hints.py`) are attributes that the components of Panel do not put on their elements: they are put
there when the pointer first comes to a component.
"""

from typing import Any

from panel.custom import JSComponent


class Mending(JSComponent):
    """Watches the whole page; shows nothing."""

    _esm = """
    const field = (button) =>
      button.closest(".MuiFormControl-root")?.querySelector("label")?.firstChild?.textContent ?? ""
    const side = (button) => button.closest(".MuiInputAdornment-positionStart") ? "Less" : "More"
    const unnamed = ":not([aria-label]):not([aria-labelledby])"
    const faults = [
      ["span[aria-label]:not([role])", (node) => node.setAttribute("role", "note")],
      [`.MuiInputAdornment-root button${unnamed}`,
        (node) => node.setAttribute("aria-label", `${side(node)} ${field(node)}`)],
      [`[role=progressbar]${unnamed}`, (node) => node.setAttribute("aria-label", "Working")],
      ["div[aria-label='Resize sidebar']:not([role])", (node) => node.setAttribute("role", "separator")],
      ["[role=listbox] > [role=menuitem]", (node) => node.setAttribute("role", "option")],
    ]
    const all = faults.map(([selector]) => selector).join()

    export function render({ model, el }) {
      const seen = new WeakSet()
      const mend = (node) => { for (const [selector, act] of faults) if (node.matches(selector)) act(node) }
      const enter = (node) => {
        if (node.shadowRoot) watch(node.shadowRoot)
      }
      const look = (root) => {
        if (root.matches?.(all)) mend(root)
        enter(root)
        for (const node of root.querySelectorAll(all)) mend(node)
        for (const node of root.querySelectorAll("*")) enter(node)
      }
      const added = (changes) => {
        for (const change of changes)
          for (const node of change.addedNodes) if (node.nodeType === 1) look(node)
      }
      const observer = new MutationObserver(added)
      const watch = (root) => {
        if (seen.has(root)) return
        seen.add(root)
        observer.observe(root, { childList: true, subtree: true })
        look(root)
      }
      const met = new WeakSet()
      const hint = (event) => {
        const fresh = event.composedPath().filter((node) => node.shadowRoot && !met.has(node))
        fresh.forEach((node) => met.add(node))
        if (!fresh.length || !window.Bokeh) return
        for (const view of Bokeh.index.query((view) => fresh.includes(view.el))) {
          const hints = view.model.html_attributes ?? {}
          const text = hints.title ?? hints.get?.("title")
          if (text) view.el.title = text
        }
      }
      el.style.display = "none"
      watch(document.body)
      document.addEventListener("pointerover", hint)
      model.on("remove", () => {
        observer.disconnect()
        document.removeEventListener("pointerover", hint)
      })
    }
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)


__all__ = ["Mending"]
