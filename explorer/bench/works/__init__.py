"""The works, in the order in which they are run."""

import importlib

from explorer.bench.work import Work

NAMES = (
    "letters",
    "letters-large",
    "digits",
    "scene",
    "grids",
    "clusters",
    "ner",
    "growth",
    "clusters-growth",
    "warm",
    "large",
    "streamed",
    "profile",
)
MODULES = {"letters-large": "letters_large", "clusters-growth": "clusters_growth"}


def work_named(name: str) -> Work:
    """The work of this name; its module is loaded only now."""
    work: Work = importlib.import_module(f"{__name__}.{MODULES.get(name, name)}").WORK
    return work


__all__ = ["NAMES", "work_named"]
