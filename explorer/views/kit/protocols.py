"""What views ask of what they watch, and pages of the pictures they show."""

from collections.abc import Sequence
from typing import Any, Protocol


class Watched(Protocol):
    """Something with parameters whose changes can be followed: a session, or the state of a lab."""

    param: Any


class Picture(Protocol):
    """Something on a page that changes its colours with the theme, and stops listening when the page ends."""

    theme: Any

    def close(self) -> None:
        """Stop listening."""
        ...


class Titled(Picture, Protocol):
    """A picture that a card can frame: title, explanation, figures to save, and a table of numbers."""

    param: Any
    table_open: Any

    @property
    def title(self) -> str: ...

    @property
    def help(self) -> str: ...

    @property
    def name_key(self) -> str: ...

    @property
    def figures(self) -> Sequence[Any]: ...
