"""The user's clipboard."""

import param
from panel.custom import JSComponent


class Clipboard(JSComponent):
    """Puts a text on the user's clipboard."""

    text = param.String("")
    count = param.Integer(0)

    _esm = """
    export function render({ model, el }) {
      el.style.display = "none"
      model.on("count", async () => {
        try { await navigator.clipboard.writeText(model.text) }
        catch (e) {
          const area = document.createElement("textarea")
          area.value = model.text
          document.body.appendChild(area)
          area.select()
          document.execCommand("copy")
          area.remove()
        }
      })
    }
    """

    def copy(self, text: str) -> None:
        """Put this text there."""
        self.param.update(text=text)
        self.count += 1
