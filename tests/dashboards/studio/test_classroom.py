"""Rooms: found by their code, led with their key, closed when nobody leads them any more."""

from dataclasses import replace
from typing import Any

import pytest

from explorer.dashboards.studio.classroom import HOURS, LETTERS, SIZE, Rooms, TeacherLook
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace


def look(**changed: Any) -> TeacherLook:
    return TeacherLook(Recipe("circle"), TRACE, 0, 0, 0, 0, "training", "bounds")._replace(**changed)


TRACE = Trace()


def test_a_room_is_found_by_its_code_however_it_is_typed() -> None:
    rooms = Rooms()
    room = rooms.open()
    assert len(room.code) == SIZE
    assert set(room.code) <= set(LETTERS)
    assert rooms.find(f" {room.code.lower()} ") is room
    with pytest.raises(Refused, match="no class with this code"):
        rooms.find("NOBODY")


def test_only_the_key_leads() -> None:
    rooms = Rooms()
    room, other = rooms.open(), rooms.open()
    assert rooms.lead(f"{room.code}.{room.key}") is room
    for ticket in (room.code, f"{room.code}.", f"{room.code}.{other.key}", f"{room.code}.ä"):
        with pytest.raises(Refused, match="does not lead the class"):
            rooms.lead(ticket)


def test_what_is_shown_again_is_no_news_and_every_change_is() -> None:
    room = Rooms().open()
    room.show(look())
    room.show(look(recipe=Recipe("circle")))
    assert room.version == 1
    changes: tuple[dict[str, Any], ...] = (
        {"cursor": 1},
        {"length": 3},
        {"view": "weights"},
        {"trace": Trace()},
        {"recipe": replace(Recipe("circle"), seed=1)},
    )
    for n, change in enumerate(changes, start=2):
        room.show(look(**change))
        assert room.version == n


def test_there_are_at_most_so_many_rooms_and_one_that_nobody_leads_makes_room() -> None:
    now = [0.0]
    rooms = Rooms(most=2, clock=lambda: now[0])
    first, second = rooms.open(), rooms.open()
    with pytest.raises(Refused, match="2 classes are open already"):
        rooms.open()
    now[0] = HOURS * 3600 - 1
    rooms.keep(second)
    now[0] += 2
    rooms.open()
    assert rooms.find(second.code) is second
    with pytest.raises(Refused):
        rooms.find(first.code)
