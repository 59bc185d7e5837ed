"""Truth and clustering as chips that can be moved, and what every loss says about the two."""

from html import escape
from typing import Any, ClassVar

from explorer.engine.structures.clusterings.partitions import bell, clusters, stirling
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.state import ClusterLab
from explorer.views.cluster_lab import words
from explorer.views.kit.controls.answer_table import style_variables
from explorer.views.kit.controls.live_html import LiveHTML
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View

Rows = list[tuple[str, str, str]]

LOOK = """
:host { overflow: auto; }
div.rows { font-size: var(--size); color: var(--text); padding: 0 6px; }
h4 { font-size: 1em; margin: 4px 0 2px; font-weight: 600; }
h4 small { font-weight: 400; color: var(--muted); }
ul { display: flex; flex-wrap: wrap; gap: 4px 8px; list-style: none; margin: 0; padding: 0; }
li { border: 1.5px solid var(--muted); border-radius: 6px; padding: 1px 2px; display: flex; flex-wrap: wrap; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 1px 5px;
  min-width: 24px; min-height: 24px; cursor: pointer; border-radius: 4px; }
button:hover { background: var(--shown); } button:focus-visible { outline: 2px solid var(--link); }
button.word { text-decoration: underline; color: var(--link); }
table { border-collapse: collapse; margin: 6px 0 2px; }
td, th { padding: 1px 8px 1px 0; text-align: left; font-weight: 400; }
td.n { text-align: right; font-weight: 600; }
p { margin: 2px 0; }
"""


def chips(labels: Ints, names: tuple[str, ...], act: str) -> str:
    """Clusters as boxes of buttons; a press moves the item on; escaped."""
    boxes = []
    for members in clusters(labels):
        inner = "".join(
            f"<button type='button' data-act='{act}:{int(i)}' "
            f"aria-label='Move {escape(names[i], quote=True)}'>{escape(names[i])}</button>"
            for i in members
        )
        boxes.append(f"<li>{inner}</li>")
    return f"<ul>{''.join(boxes)}</ul>"


class TruthView(View[ClusterLab]):
    """What the losses say."""

    title: ClassVar[str] = "Truth and losses"
    name_key: ClassVar[str] = "losses"
    help: ClassVar[str] = (
        "Press an item to move it to the next cluster, at last to one of its own. Moving it in the truth "
        "changes what is most tempting; moving it in the clustering only shows what the losses say of that "
        "one. All losses are in per cent."
    )
    follows = ("tick", "step", "own")

    def build(self) -> Any:
        self.list = LiveHTML(
            self._pressed, sizing_mode="stretch_both", min_height=120, margin=(0, 4), stylesheets=[LOOK]
        )
        return self.list

    def _pressed(self, act: str, checked: bool | None) -> None:
        what, _, item = act.partition(":")
        if what == "release":
            self.session.own = ()
        elif item.isdecimal() and int(item) < self.session.case.m:
            (self.session.move_truth if what == "truth" else self.session.move_own)(int(item))

    def frame(self) -> Rows:
        return words.loss_rows(self.session.case.truth, self.session.measured)

    def show(self, frame: Rows) -> None:
        lab = self.session
        names, m, k = lab.case.names, lab.case.m, lab.choice.groups
        back = "<button type='button' class='word' data-act='release'>back to the step's</button>"
        whose = f"made by hand {back}" if len(lab.own) else "of the present step"
        rows = "".join(
            f"<tr><th scope='row'>{a}</th><td class='n'>{b}</td><td>{c}</td></tr>" for a, b, c in frame
        )
        hint = "<small>press an item to move it on</small>"
        truth = f"<h4>Truth {hint}</h4>{chips(lab.case.truth, names, 'truth')}"
        own = f"<h4>Clustering <small>{whose}</small></h4>{chips(lab.measured, names, 'own')}"
        size = f"<p>{m} items have {bell(m):,} partitions, {stirling(m, k):,} of them into {k} clusters.</p>"
        self.list.html = f"<div class='rows'>{truth}{own}<table>{rows}</table>{size}</div>"

    def sentence(self, frame: Rows) -> str:
        return words.loss_sentence(frame)

    def table(self, frame: Rows) -> dict[str, Any]:
        columns = [list(column) for column in zip(*frame, strict=True)]
        return dict(zip(("measure", "value", "from"), columns, strict=True))

    def recolour(self, theme: Theme) -> None:
        self.list.styles = style_variables(theme, large=16)
