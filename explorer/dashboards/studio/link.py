"""The parts of a studio's link that only the page understands: its layout, and what was chosen inside the views.

    view=trellis&clock=seconds&see.trellis.k_best=3&see.working_set.sort=loss&see.path.decades=-2.0:1.0

Of the choices inside the views only those that are not at their default are written. What cannot be taken up is left as it
is, with a sentence about it.
"""

from dataclasses import replace
from typing import Any

import param

from explorer.dashboards.studio.transport import SPEEDS
from explorer.session.link import LAYOUT, Link
from explorer.session.state import PHASES, Session
from explorer.views import VIEWS
from explorer.views.bounds.view import CLOCKS
from explorer.views.kit.theme import THEMES
from explorer.views.kit.view import View


def checked(link: Link) -> Link:
    """The link with a layout that this page can take: what it does not know is left at its default and reported."""
    known = {
        "view": [view.name_key for view in VIEWS], "theme": list(THEMES), "clock": list(CLOCKS),
        "split": list(Session.param.split.objects), "phase": list(range(len(PHASES))), "speed": list(SPEEDS.values()),
    }  # fmt: skip
    layout, faults = {**LAYOUT, **link.layout}, []
    for name, menu in known.items():
        if layout[name] not in menu:
            faults.append(f"The link's {name} cannot be {str(layout[name])[:40]!r}; {LAYOUT[name]} is shown.")
            layout[name] = LAYOUT[name]
    return replace(link, layout=layout, problems=(*link.problems, *faults))


def chosen(view: View) -> dict[str, str]:
    """The view's own choices that differ from their defaults, by the names that links give them."""
    values = {name: getattr(view, name) for name in view.linked}
    return {f"{view.name_key}.{name}": spelled(v) for name, v in values.items() if v != view.param[name].default}


def spelled(value: Any) -> str:
    """A choice as text."""
    return ":".join(map(str, value)) if isinstance(value, tuple) else str(value)


def choose(view: View, see: dict[str, str]) -> list[str]:
    """Take up what a link says of this view; returns a sentence for each part that it cannot take."""
    faults = []
    for key in [key for key in see if key.partition(".")[0] == view.name_key]:
        text = see.pop(key)
        try:
            view.param.update(**{key.partition(".")[2]: meant(view.param[key.partition(".")[2]], text)})
        except (ValueError, TypeError):
            faults.append(f"The link's {key} cannot be {text[:40]!r} and was left out.")
    return faults


def meant(declared: Any, text: str) -> Any:
    """The value that a text stands for; ValueError where there is none."""
    if isinstance(declared, param.Boolean):
        return {"True": True, "False": False}[text] if text in ("True", "False") else _refuse(text)
    if isinstance(declared, param.Selector):
        return next((value for value in declared.objects if str(value) == text), None) or _refuse(text)
    if isinstance(declared, param.Range):
        low, high = (float(part) for part in text.split(":"))
        return low, high
    return int(text) if isinstance(declared, param.Integer) else float(text)


def _refuse(text: str) -> Any:
    raise ValueError(text)


def unknown(see: dict[str, str]) -> list[str]:
    """Take out the parts that no view has, and say of each that it was."""
    known = {f"{view.name_key}.{name}" for view in VIEWS for name in view.linked}
    strange = [key for key in see if key not in known]
    for key in strange:
        del see[key]
    return [f"The link's part {f'see.{key}'[:40]!r} is not known and was left out." for key in strange]


__all__ = ["checked", "choose", "chosen", "unknown"]
