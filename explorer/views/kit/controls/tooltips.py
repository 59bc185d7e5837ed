"""A sentence that appears when the pointer rests on a control: the browser's own tooltip."""

from typing import Any, TypeVar

Widget = TypeVar("Widget", bound=Any)


def add_hint(widget: Widget, text: str) -> Widget:
    """The widget, with a sentence about it wherever it is shown."""
    make = widget._get_model

    def model(*where: Any, **more: Any) -> Any:
        made = make(*where, **more)
        made.html_attributes = {"title": text}
        return made

    widget._get_model = model
    return widget


__all__ = ["add_hint"]
