"""A link to a study gives back its settings, and says what it cannot take."""

from typing import Any

import pytest

from explorer.dashboards.studies.link import query, read
from explorer.engine.refusals import Refused
from explorer.session.study_run import study_of
from explorer.session.study_store import settings
from explorer.studies import STUDIES, EarlyStop


@pytest.mark.parametrize("kind", STUDIES, ids=lambda kind: kind.name)
def test_a_link_says_the_same_study_with_the_same_settings(kind: Any) -> None:
    quick = settings(kind.quick())
    asked = read("?" + query(kind.name, quick, "dark"))
    assert (asked.study, asked.problems) == (kind.name, ())
    assert study_of(asked.study, dict(asked.knobs)) == kind.quick()


def test_what_a_link_says_wrongly_is_left_out_and_told() -> None:
    asked = read("?study=early-stop&set.most=7&set.share=2&set.eps=small&set.speed=3&colour=red&theme=dark")
    assert (asked.study, dict(asked.knobs)) == ("early-stop", {"most": 7})
    said = " ".join(asked.problems)
    assert all(
        part in said
        for part in ("share is 2.0; it must be 0.01 to 1", "eps is 'small'; give a number", "speed", "colour")
    )
    assert len(asked.problems) == 4
    assert "there is no study 'nothing'" in read("study=nothing").problems[0]
    assert read("study=early-stop&" + 5000 * "x").study == STUDIES[0].name
    with pytest.raises(Refused, match="speed"):
        study_of("early-stop", {"speed": 1})
    assert study_of("early-stop", {"oracle": "greedy"}) == EarlyStop(oracle="greedy")
