"""The card around a view: its title or its sentence, what it is about, its numbers, its picture to take away,
the whole screen.

A picture is saved in the browser, without asking the server: all figures that are to be seen on the card,
each where it stands.
"""

from typing import Any

import panel as pn
import panel_material_ui as pmui

from explorer.views.kit.protocols import Titled
from explorer.views.kit.view import View

CARD = """
let card = Bokeh.index.find_one(source).el
while (!card.classList?.contains("view-card")) card = card.parentNode ?? card.host
"""

SAVE = (
    CARD
    + """
const inside = (node) => {
  while (node && node !== card) node = node.parentNode ?? node.host
  return node === card
}
const drawn = [...Bokeh.index.query((view) => view.canvas_view != null && view.export != null)]
  .map((view) => ({ view, at: view.el.getBoundingClientRect() }))
  .filter(({ view, at }) => at.width > 0 && at.height > 0 && inside(view.el))
const left = Math.min(...drawn.map(({ at }) => at.left)), top = Math.min(...drawn.map(({ at }) => at.top))
const width = Math.max(...drawn.map(({ at }) => at.right)) - left
const height = Math.max(...drawn.map(({ at }) => at.bottom)) - top
const back = drawn[0].view.model.border_fill_color ?? "#ffffff"
const save = (blob) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name + "." + kind
  link.click()
  URL.revokeObjectURL(link.href)
}
if (kind == "png") {
  const layers = drawn.map(({ view }) => view.export("png", true).canvas)
  const ratio = layers[0].width / drawn[0].at.width
  const whole = document.createElement("canvas")
  whole.width = Math.round(width * ratio)
  whole.height = Math.round(height * ratio)
  const context = whole.getContext("2d")
  context.fillStyle = back
  context.fillRect(0, 0, whole.width, whole.height)
  drawn.forEach(({ at }, k) => context.drawImage(layers[k], (at.left - left) * ratio, (at.top - top) * ratio))
  whole.toBlob(save)
} else {
  const parts = drawn.map(({ view, at }) => {
    const context = view.export("svg", true).ctx
    const text = (context.get_serialized_svg ?? context.getSerializedSvg).call(context, true)
    return text.replace(/^[^]*?<svg/, `<svg x="${at.left - left}" y="${at.top - top}"`)
  })
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`
  const paper = `<rect width="100%" height="100%" fill="${back}"/>`
  save(new Blob([head, paper, ...parts, "</svg>"], { type: "image/svg+xml" }))
}
"""
)

WHOLE_SCREEN = CARD + "document.fullscreenElement ? document.exitFullscreen() : card.requestFullscreen()"

FILLING = """
:host(:fullscreen) {
  max-height: none !important; margin: 0 !important; padding: 10px; box-sizing: border-box;
  background: var(--panel-surface-color, #ffffff);
}
"""

SMALL = {"size": "small", "margin": 0, "sx": {"padding": "4px"}}


class Card(pn.viewable.Viewer):
    """A view with its explanation, its data table, its picture and the whole screen; `tall` is a CSS height.

    Where a tab already says the title, the view's sentence stands in its place.
    """

    def __init__(
        self,
        view: Titled,
        tall: str = "300px",
        tools: list[Any] | None = None,
        titled: bool = True,
        numbers: bool = True,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self.view = view
        about = pmui.IconButton(icon="help_outline", description=view.help, **SMALL)
        table = pmui.IconButton(
            icon="table_rows", description=f"Show the numbers behind {view.title}", **SMALL
        )
        table.on_click(lambda _: view.param.update(table_open=not view.table_open))
        buttons = [*(tools or []), about, *([table] if numbers else [])]
        if view.figures:
            buttons += [self.saver(kind) for kind in ("png", "svg")]
        buttons.append(self.grower())
        wide = {"sizing_mode": "stretch_width", "margin": 0}
        if titled:
            title = pmui.Typography(
                view.title,
                variant="h6",
                margin=(4, 8),
                sx={"fontSize": "var(--type-text, 16px)", "fontWeight": 600},
            )
            content = [pn.Row(title, pn.Spacer(sizing_mode="stretch_width"), *buttons, **wide), view]
        else:
            assert isinstance(view, View), "only views have a body and a table of their own"
            beside = pn.Row(*buttons, margin=0, styles={"flex": "0 0 auto"})
            content = [pn.Row(view.words, beside, **wide), view.content()]
        self.paper = pmui.Paper(
            *content,
            sizing_mode="stretch_both",
            styles={"height": tall, "max-height": tall, "flex": f"0 0 {tall}"},
            margin=6,
            elevation=1,
            css_classes=["view-card"],
            stylesheets=[FILLING],
        )

    def saver(self, kind: str) -> Any:
        """A button that saves all figures of the view as one picture."""
        button = pmui.IconButton(
            icon="image" if kind == "png" else "format_shapes",
            description=f"Save {self.view.title} as {kind.upper()}",
            **SMALL,
        )
        button.js_on_click(args={"kind": kind, "name": self.view.name_key}, code=SAVE)
        return button

    def grower(self) -> Any:
        """A button that gives the card the whole screen, and takes it back."""
        about = (
            f"Show {self.view.title} on the whole screen; Escape leads back, the keys of the run still work."
        )
        button = pmui.IconButton(icon="fullscreen", description=about, **SMALL)
        button.js_on_click(code=WHOLE_SCREEN)
        return button

    def __panel__(self) -> Any:
        return self.paper


LEAST = 340
"""Pixels; what has no room for this much beside its neighbour stands below it."""


def side_by_side(*views: tuple[Titled, float], tall: str) -> Any:
    """Cards in a row, each with its share of the width."""
    cards = [
        pn.Column(
            Card(view, tall=tall),
            sizing_mode="stretch_width",
            margin=0,
            styles={
                "height": f"calc({tall} + 12px)",
                "flex": f"{part} 1 {round(LEAST * part)}px",
                "min-width": f"min({LEAST}px, 100%)",
            },
        )
        for view, part in views
    ]
    return pn.FlexBox(
        *cards,
        gap="0",
        sizing_mode="stretch_width",
        margin=0,
        styles={"min-height": f"calc({tall} + 12px)"},
    )


__all__ = ["Card", "side_by_side"]
