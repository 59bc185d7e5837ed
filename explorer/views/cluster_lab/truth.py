"""Truth and clustering as chips that can be moved, and what every loss says about the two."""

from html import escape
from typing import Any, ClassVar

from explorer.engine.structures.clusterings.partitions import clusters
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.losses import Measures, measures, outputs
from explorer.labs.clusterings.state import ClusterLab
from explorer.views.cluster_lab import words
from explorer.views.kit.live_html import LiveHTML
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View

LOOK = """
:host { overflow: auto; }
div.rows { font-size: var(--size); color: var(--text); padding: 0 6px; }
h4 { font-size: 1em; margin: 4px 0 2px; font-weight: 600; }
h4 small { font-weight: 400; color: var(--muted); }
ul { display: flex; flex-wrap: wrap; gap: 4px 8px; list-style: none; margin: 0; padding: 0; }
li { border: 1.5px solid var(--muted); border-radius: 6px; padding: 1px 2px; display: flex; flex-wrap: wrap; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 1px 5px; min-width: 24px; min-height: 24px;
  cursor: pointer; border-radius: 4px; }
button:hover { background: var(--shown); } button:focus-visible { outline: 2px solid var(--link); }
button.word { text-decoration: underline; color: var(--link); }
table { border-collapse: collapse; margin: 6px 0 2px; }
td, th { padding: 1px 8px 1px 0; text-align: left; font-weight: 400; } td.n { text-align: right; font-weight: 600; }
p { margin: 2px 0; }
"""


def chips(labels: Ints, names: tuple[str, ...], act: str) -> str:
    """Clusters as boxes of buttons; a press moves the item on; escaped."""
    boxes = []
    for members in clusters(labels):
        inner = "".join(
            f"<button type='button' data-act='{act}:{int(i)}' aria-label='Move "
            f"{escape(names[i], quote=True)}'>"
            f"{escape(names[i])}</button>"
            for i in members
        )
        boxes.append(f"<li>{inner}</li>")
    return f"<ul>{''.join(boxes)}</ul>"


def loss_rows(found: Measures) -> list[tuple[str, str, str]]:
    """Every measure with its name, its number and how it comes about."""
    return [
        (
            "pairwise loss",
            f"{found.pairwise:.4g}",
            f"{found.wrong} of {found.pairs} pairs differ; Rand index {found.rand:.4g}",
        ),
        ("MITRE loss", f"{found.mitre:.4g}", f"R = {found.recall:.4g}, P = {found.precision:.4g}"),
        (
            "normalised loss",
            f"{found.normalised:.4g}",
            f"{found.true_clusters} true clusters against {found.other_clusters}",
        ),
    ]


class TruthView(View[ClusterLab]):
    """What the losses say."""

    title: ClassVar[str] = "Truth and losses"
    name_key: ClassVar[str] = "losses"
    help: ClassVar[str] = (
        "Press an item to move it to the next cluster, at last to one of its own. Moving it in the truth "
        "changes what is "
        "most violated; moving it in the clustering only shows what the losses say of that one. All losses "
        "are in per cent."
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

    def frame(self) -> Measures:
        return measures(self.session.case.truth, self.session.measured)

    def show(self, frame: Measures) -> None:
        lab = self.session
        names, (all_, some) = lab.case.names, outputs(lab.case.m, lab.choice.groups)
        back = "<button type='button' class='word' data-act='release'>back to the step's</button>"
        whose = f"made by hand {back}" if len(lab.own) else "of the present step"
        rows = "".join(
            f"<tr><th scope='row'>{a}</th><td class='n'>{b}</td><td>{c}</td></tr>"
            for a, b, c in loss_rows(frame)
        )
        self.list.html = (
            "<div class='rows'><h4>Truth <small>press an item to move it "
            f"on</small></h4>{chips(lab.case.truth, names, 'truth')}"
            f"<h4>Clustering <small>{whose}</small></h4>{chips(lab.measured, names, 'own')}<table>{rows}</table>"
            f"<p>{lab.case.m} items have {all_:,} partitions, {some:,} of them into {lab.choice.groups} "
            "clusters.</p></div>"
        )

    def sentence(self, frame: Measures) -> str:
        return words.measured(frame)

    def table(self, frame: Measures) -> dict[str, Any]:
        return dict(
            zip(
                ("measure", "value", "from"),
                (list(c) for c in zip(*loss_rows(frame), strict=True)),
                strict=True,
            )
        )

    def recolour(self, theme: Theme) -> None:
        shown = "rgba(108, 184, 240, 0.25)" if theme.name == "dark" else "rgba(11, 98, 164, 0.14)"
        names = {"muted": theme.muted, "link": theme.dual, "shown": shown, "text": theme.text}
        size = {"light": 13, "dark": 13}.get(theme.name, 16)
        self.list.styles = {f"--{name}": colour for name, colour in names.items()} | {"--size": f"{size}px"}
