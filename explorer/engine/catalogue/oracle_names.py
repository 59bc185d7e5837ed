"""Oracles by name: "greedy", or with settings "belief propagation(damping=0.5)". One text for links, recipes and commands.

Settings that have their default are left out, so that equal oracles have equal names.
"""

import re
from dataclasses import fields
from typing import Any

from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.oracles import ORACLES
from explorer.engine.structures.clusterings.link_oracles import LINK_ORACLES
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.engine.structures.trees.oracles import TREE_ORACLES

EVERY: tuple[type[Any], ...] = (*ORACLES, *FIELD_ORACLES, *CLUSTER_ORACLES, *LINK_ORACLES, *TREE_ORACLES)
"""All oracles, of chains, fields, clusterings, links and trees; their titles differ."""

WRITTEN = re.compile(r"(?P<title>[^()]+?)\s*(?:\((?P<settings>[^()]*)\))?")


def title_in(text: str) -> str:
    """The title without the settings."""
    found = WRITTEN.fullmatch(text.strip())
    return found["title"] if found else text


def oracle_type(title: str) -> type[Any]:
    """The kind of oracle with this menu title."""
    for kind in EVERY:
        if kind.title == title:
            return kind
    raise Refused(f"there is no oracle {title!r}; choose one of {', '.join(o.title for o in EVERY)}")


def oracle_named(text: str) -> Any:
    """The oracle that a text names, with its settings."""
    found = WRITTEN.fullmatch(text.strip())
    if not found:
        raise Refused(f"{text!r} names no oracle; write a title, or title(setting=value, setting=value)")
    kind = oracle_type(found["title"])
    types = {f.name: f.type for f in fields(kind)}
    given = {}
    for part in filter(None, map(str.strip, (found["settings"] or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in types:
            known = ", ".join(types) or "none"
            raise Refused(f"{kind.title} has no setting {name!r} with a value; its settings are: {known}")
        given[name] = _value(value, types[name], f"{kind.title}: {name}")
    return kind(**given)


def _value(text: str, kind: Any, place: str) -> Any:
    """A text as a setting of this type."""
    if kind in (bool, "bool"):
        if text not in ("True", "False"):
            raise Refused(f"{place} is {text!r}; write True or False")
        return text == "True"
    number = {"int": int, "float": float}.get(getattr(kind, "__name__", kind))
    try:
        return number(text) if number else text
    except ValueError:
        raise Refused(f"{place} is {text!r}; give a number") from None


def spelled(oracle: Any) -> str:
    """The text that names an oracle: its title, and every setting that is not the default."""
    changed = [f"{f.name}={getattr(oracle, f.name)}" for f in fields(oracle) if getattr(oracle, f.name) != f.default]
    return f"{oracle.title}({', '.join(changed)})" if changed else str(oracle.title)
