"""Oracles by name: "greedy", or with settings "belief propagation(damping=0.5)". One text for links, recipes
and commands.

Settings that have their default are left out, so that equal oracles have equal names.
"""

import re
from dataclasses import fields
from functools import cache
from typing import Any

from explorer.engine.knobs import parse_settings
from explorer.engine.refusals import Refused

Menu = tuple[type[Any], ...]

WRITTEN = re.compile(r"(?P<title>[^()]+?)\s*(?:\((?P<settings>[^()]*)\))?")


def title_in(text: str) -> str:
    """The title without the settings."""
    found = WRITTEN.fullmatch(text.strip())
    return found["title"] if found else text


@cache
def every_oracle() -> Menu:
    """All oracles, of chains, fields, clusterings, links and trees; their titles differ."""
    from explorer.engine.structures.chains.oracles import ORACLES
    from explorer.engine.structures.clusterings.link_oracles import LINK_ORACLES
    from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES
    from explorer.engine.structures.fields.oracles import FIELD_ORACLES
    from explorer.engine.structures.trees.oracles import TREE_ORACLES

    return (*ORACLES, *FIELD_ORACLES, *CLUSTER_ORACLES, *LINK_ORACLES, *TREE_ORACLES)


def oracle_type(title: str, menu: Menu) -> type[Any]:
    """The kind of oracle with this title in a menu."""
    for kind in menu:
        if kind.title == title:
            return kind
    raise Refused(
        f"there is no oracle {title[:40]!r}; choose one of {', '.join(kind.title for kind in menu)}"
    )


def oracle_named(text: str, menu: Menu = ()) -> Any:
    """The oracle that a text names, with its settings; refused if it is not in the menu (that of all
    oracles).
    """
    found = WRITTEN.fullmatch(text.strip())
    if not found:
        raise Refused(f"{text[:40]!r} names no oracle; write a title, or title(setting=value, setting=value)")
    kind = oracle_type(found["title"], menu or every_oracle())
    texts = filter(None, map(str.strip, (found["settings"] or "").split(",")))
    return kind(**parse_settings(kind, texts, f"{kind.title}: "))


def spell(oracle: Any) -> str:
    """The text that names an oracle: its title, and every setting that is not the default."""
    changed = [
        f"{f.name}={getattr(oracle, f.name)}" for f in fields(oracle) if getattr(oracle, f.name) != f.default
    ]
    return f"{oracle.title}({', '.join(changed)})" if changed else str(oracle.title)
