"""Knobs become parameters with the same range, choices and sentence."""

import param
import pytest

from explorer.engine.catalogue.tasks import TASKS
from explorer.engine.knobs import knobs
from explorer.engine.learners import LEARNERS
from explorer.session.knobs import editable, values

RECORDS = [*LEARNERS, *dict.fromkeys(task.data for task in TASKS)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_every_knob_can_be_edited_and_gives_back_the_record(record: type) -> None:
    settings = editable(record)()
    assert record(**values(settings)) == record()
    for name, default, knob in knobs(record):
        declared = settings.param[name]
        assert declared.doc == knob.help
        assert declared.default == default
        if knob.choices:
            assert list(declared.objects) == list(knob.choices)


def test_a_value_outside_the_range_is_refused_by_the_parameter() -> None:
    settings = editable(TASKS[0].data)()
    with pytest.raises(ValueError, match="must be"):
        settings.n = -3
    assert isinstance(settings.param.n, param.Integer)
