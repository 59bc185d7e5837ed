"""A dependency tree in one small picture: arcs from heads to dependents over the words."""

from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.views.kit.depiction import Thumbnail
from explorer.views.kit.drawing.svg import EDGE, WIDTH, legible_example, text
from explorer.views.kit.drawing.theme import Theme


def tree_thumbnail(problem: DependencyTrees | KernelTrees, theme: Theme, turn: int) -> Thumbnail:
    """Arcs from each head to its dependents over the words, and a stem above the root."""
    i = legible_example(problem.dataset.labels, 5, turn)
    x, heads = problem.dataset.inputs[i], problem.dataset.labels[i][:9].tolist()
    step = (WIDTH - 2 * EDGE) / len(heads)
    size = min(13.0, step / (0.58 * max(map(len, x.words))))
    out = ""
    for d, h in enumerate(heads, start=1):
        here, there = (EDGE + (t - 0.5) * step for t in (d, h))
        high, colour = min(22 * abs(d - h), 74), theme.truth if h else theme.muted
        arc = f"M{there:.1f} 86A{abs(here - there) / 2:.1f} {high} 0 0 {int(h < d)} {here:.1f} 86"
        arc = arc if h else f"M{here:.1f} {EDGE}V86"
        out += f"<path d='{arc}' fill='none' stroke='{colour}' stroke-width='2'/>"
        out += f"<path d='M{here:.1f} 89l-3.5-6h7z' fill='{colour}'/>"
        out += text(here, 98, x.words[d - 1], f"font-size='{size:.1f}'")
        out += text(here, 111, x.tags[d - 1], f"font-size='9' fill='{theme.muted}'")
    return f"The dependency tree of: {' '.join(x.words)}", out
