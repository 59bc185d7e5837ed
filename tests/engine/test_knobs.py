"""Settings: records that are frozen, checked when made, and otherwise plain dataclasses."""

import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace
from typing import Any, ClassVar, final

import pytest

from explorer.engine.knobs import knob, knobs, parse, parse_setting, parse_settings, settings
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until


@final
@settings
class Kettle:
    """A record with a range, choices, a constant of its class, and a check of its own."""

    title: ClassVar[str] = "kettle"

    litres: float = knob(1.0, "How much water.", low=0.1, high=2.0)
    whistle: str = knob("loud", "How it calls.", choices=("loud", "soft"))
    low: int = knob(20, "Where the scale begins.", low=0)
    high: int = knob(100, "Where it ends.", low=0)

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise Refused(f"low is {self.low}, above high, {self.high}; swap the two")


def test_settings_are_checked_when_the_record_is_made() -> None:
    with pytest.raises(Refused, match=r"litres is 3.0; it must be 0.1 to 2"):
        Kettle(litres=3.0)
    with pytest.raises(Refused, match=r"whistle is 'shrill'; choose one of loud, soft"):
        Kettle(whistle="shrill")
    with pytest.raises(Refused, match=r"low is -1; it must be at least 0"):
        Kettle(low=-1)


def test_settings_are_checked_when_a_record_is_copied_with_changes() -> None:
    with pytest.raises(Refused, match="litres"):
        replace(Kettle(), litres=0.0)
    assert replace(Kettle(), litres=0.5) == Kettle(litres=0.5)


def test_the_records_own_check_comes_after_that_of_the_knobs() -> None:
    with pytest.raises(Refused, match="swap the two"):
        Kettle(low=90, high=10)
    with pytest.raises(Refused, match="at least 0"):
        Kettle(low=90, high=-10)


def test_a_record_of_settings_is_a_frozen_dataclass_with_slots() -> None:
    kettle = Kettle(litres=0.5)
    assert [f.name for f in fields(Kettle)] == [name for name, _, _ in knobs(Kettle)]
    assert asdict(kettle) == {"litres": 0.5, "whistle": "loud", "low": 20, "high": 100}
    assert not hasattr(kettle, "__dict__")
    assert Kettle.title == "kettle"
    assert (Kettle.__name__, Kettle.__module__) == ("Kettle", __name__)
    with pytest.raises(FrozenInstanceError):
        kettle.litres = 1.0  # type: ignore[misc]


def test_a_record_of_settings_travels() -> None:
    rule = Until(gap=0.5)
    assert pickle.loads(pickle.dumps(rule)) == rule


# Settings as text.


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("3", int, 3),
        ("-3", "int", -3),
        ("3", float, 3.0),
        ("1e-3", "float", 0.001),
        ("inf", float, float("inf")),
        ("True", bool, True),
        ("off", "bool", False),
        ("1", bool, True),
        ("1", str, "1"),
        ("", str, ""),
    ],
)
def test_a_text_is_read_as_the_kind_that_is_wanted(text: str, kind: Any, value: Any) -> None:
    found = parse(text, kind, "it")
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("much", float, "litres is 'much'; give a number"),
        ("1.5", int, "litres is '1.5'; give a whole number"),
        ("", int, "litres is ''; give a whole number"),
        ("perhaps", bool, "litres is 'perhaps'; write yes or no"),
        (90 * "x", float, f"litres is '{40 * 'x'}' and goes on; give a number of at most 40 digits"),
    ],
)
def test_a_text_of_another_kind_is_refused_with_what_to_write(text: str, kind: Any, says: str) -> None:
    with pytest.raises(Refused) as refusal:
        parse(text, kind, "litres")
    assert str(refusal.value) == says


def test_settings_of_a_record_are_read_by_name() -> None:
    texts = ["litres=0.5", " low = 3 ", "whistle=soft"]
    assert Kettle(**parse_settings(Kettle, texts, "--set ")) == Kettle(litres=0.5, low=3, whistle="soft")
    assert parse_setting(Kettle, "high", "7") == 7


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("colour=red", "Kettle has no setting 'colour'; it has litres, whistle, low, high"),
        ("low=deep", "kettle: low is 'deep'; give a whole number"),
        ("low", "kettle: low has no value; write kettle: name=value"),
    ],
)
def test_a_setting_that_cannot_be_read_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(Refused) as refusal:
        parse_settings(Kettle, [text], "kettle: ")
    assert str(refusal.value) == says
