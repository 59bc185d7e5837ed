"""A page of studies as a query string, and back: the study, and every setting of a run in full.

?v=1&study=inference-time&set.sizes=8&set.repeats=3&...&theme=dark
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.dashboards.address import THEME
from explorer.engine.knobs import parse_setting
from explorer.engine.refusals import Refused
from explorer.session.links import codec
from explorer.session.links.codec import Reading
from explorer.session.study_run import study_of
from explorer.studies import STUDIES, study_named

SET = "set."


@dataclass(frozen=True, slots=True)
class StudyLink:
    """What an address asks for, and what of it could not be read."""

    study: str
    knobs: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def query(study: str, knobs: Mapping[str, Any], theme: str) -> str:
    """The query string of the page: every setting, so that it shows the same when defaults change."""
    return codec.query(
        {"study": study} | {SET + name: value for name, value in knobs.items()} | {"theme": theme}
    )


def read(text: str) -> StudyLink:
    """What a query string asks for, and a sentence for each part that was left out."""
    said = Reading(text, "the first study")
    study = said.texts.pop("study", STUDIES[0].name)
    said.take(THEME)
    given = said.take_group(SET)
    try:
        study_named(study[:60])
    except Refused as refusal:
        said.leave_out("study", refusal)
        return StudyLink(STUDIES[0].name, problems=said.end())
    knobs: dict[str, Any] = {}
    for name, setting in given.items():
        try:
            wider = {**knobs, name: parse_setting(study_named(study), name, setting)}
            study_of(study, wider)
            knobs = wider
        except Refused as refusal:
            said.leave_out(name, refusal)
    return StudyLink(study, knobs, said.end())


__all__ = ["StudyLink", "query", "read"]
