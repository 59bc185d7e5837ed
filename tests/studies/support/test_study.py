"""What every study keeps to: rows as promised, plain cells, known columns, findings that follow from the
rows.
"""

import inspect
import json
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import explorer.studies as package
from explorer.engine.knobs import knobs
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled
from explorer.studies import STUDIES, study_named
from explorer.studies.support.rows import judge, row, series, value, where, with_published
from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Column, Finding, Row

VERDICTS = {HELD, NOT_HELD, OPEN}
CLOCKED = {"seconds", "a_step", "variation", "qp", "oracle", "products"}
"""Columns that are read off a clock."""


@pytest.fixture(scope="module")
def ran() -> dict[str, tuple[Any, list[Row]]]:
    """Every study, with the rows of its quick settings, computed once."""
    return {kind.name: (kind.quick(), list(kind.quick().rows())) for kind in STUDIES}


NAMES = [kind.name for kind in STUDIES]


@pytest.mark.parametrize("name", NAMES)
def test_quick_settings_give_the_promised_rows_with_plain_cells(name: str, ran: Any) -> None:
    study, rows = ran[name]
    assert 0 < len(rows) <= study.total
    for found in (*rows, *study.table(rows), *study.published):
        again = json.loads(json.dumps(dict(found), allow_nan=False))
        assert again == dict(found)
        assert all(type(cell) in (str, int, float) for cell in found.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_and_everything_that_is_drawn_has_a_column(name: str, ran: Any) -> None:
    study, rows = ran[name]
    known = {column.name for column in study.columns}
    table = study.table(rows)
    for found in (*rows, *table, *study.published):
        assert set(found) <= known
    drawn = rows if study.plot.of == "rows" else table
    for place in (study.plot.x, *study.plot.y, study.plot.series, study.plot.panel):
        assert not place or any(place in found for found in drawn), place
    assert set(study.plot.log) <= {"x", "y"}
    assert any(column.key for column in study.columns)


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_sentences_with_a_verdict_and_stay_open_without_rows(name: str, ran: Any) -> None:
    study, rows = ran[name]
    found = study.findings(rows)
    assert found
    for finding in found:
        assert finding.claim.endswith(".")
        assert finding.verdict in VERDICTS - {OPEN}, finding
        assert finding.evidence
    assert all(finding.verdict == OPEN for finding in study.findings([]))


@pytest.mark.parametrize("name", NAMES)
def test_a_study_is_a_frozen_record_of_knobs_with_a_seed_that_tells_what_it_is(name: str) -> None:
    kind = study_named(name)
    study = kind()
    assert [n for n, _, _ in knobs(kind)] == [f.name for f in fields(kind)]
    assert "seed" in {f.name for f in fields(kind)}
    with pytest.raises(FrozenInstanceError):
        study.seed = 1
    with pytest.raises(Refused, match="seed"):
        kind(seed=-1)
    assert kind.title
    assert kind.source
    assert kind.about.count(". ") == 1
    assert kind.about.endswith(".")
    assert pickle.loads(pickle.dumps(study)) == study


@pytest.mark.parametrize("name", [name for name in NAMES if name != "inference-time"])
def test_the_same_seed_gives_the_same_rows(name: str, ran: Any) -> None:
    study, rows = ran[name]
    timeless = [{k: v for k, v in found.items() if k not in CLOCKED} for found in rows[:3]]
    again = [{k: v for k, v in found.items() if k not in CLOCKED} for found in islice(study.rows(), 3)]
    assert again == timeless


@pytest.mark.parametrize("name", [name for name in NAMES if name != "separability"])
def test_a_pulse_may_end_the_rows(name: str) -> None:
    def enough(note: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        list(study_named(name).quick().rows(enough))


def test_every_module_with_a_study_is_listed_in_the_catalogue() -> None:
    folder = Path(package.__file__).parent
    own = {path for path in folder.glob("*/*.py") if "name: ClassVar[str] =" in path.read_text()}
    assert own == {Path(inspect.getfile(kind)) for kind in STUDIES}
    assert len(set(NAMES)) == len(NAMES)
    with pytest.raises(Refused, match="there is no study 'nothing'; choose one of inference-time, "):
        study_named("nothing")


# Rows and what is done with them.


def test_a_row_holds_what_is_known_and_goes_through_a_pickle() -> None:
    import numpy as np

    found = row(a=1, b=None, c=float("nan"), d=np.float64(0.5), e="x", f=float("inf"), g=np.int64(3))
    assert dict(found) == {"a": 1, "d": 0.5, "e": "x", "g": 3}
    assert {type(cell) for cell in found.values()} == {int, float, str}
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.number("d") == 0.5
    assert found.number("b") != found.number("b")
    assert found.number("e") != found.number("e")
    with pytest.raises(KeyError):
        found["b"]


def test_rows_are_found_by_their_cells() -> None:
    rows = [row(m="a", n=1, y=2.0), row(m="a", n=2, y=3.0), row(m="b", n=1, y=4.0)]
    assert where(rows, m="a", n=2) == [rows[1]]
    assert value(rows, "y", m="a") == 3.0
    assert value(rows, "y", m="c") != value(rows, "y", m="c")
    assert series(rows, "m") == ["a", "b"]


def test_published_numbers_stand_beside_the_rows_with_the_same_keys() -> None:
    columns = (Column("m", "m", key=True), Column("y", "y"))
    rows = [row(m="a", y=1.0), row(m="b", y=2.0)]
    found = with_published(rows, [row(m="b", y=7.0)], columns)
    assert [dict(r) for r in found] == [{"m": "a", "y": 1.0}, {"m": "b", "y": 2.0, "y published": 7.0}]


def test_a_finding_is_open_while_a_number_is_missing() -> None:
    assert judge("It is.", (1.0, float("nan")), True, "").verdict == OPEN
    assert judge("It is.", (), True, "").verdict == OPEN
    assert judge("It is.", (1.0,), True, "so") == Finding("It is.", HELD, "so")
    assert judge("It is.", (1.0,), False, "so").verdict == NOT_HELD


def test_settings_can_be_replaced_and_are_checked_again() -> None:
    study = study_named("inference-quality").quick()
    assert replace(study, nodes=5).total == study.total
    with pytest.raises(Refused, match="nodes"):
        replace(study, nodes=19)
