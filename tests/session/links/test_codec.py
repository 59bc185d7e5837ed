"""The codec of links: parts of every kind survive, and a wrong one costs one sentence."""

import pytest

from explorer.engine.refusals import Refused
from explorer.session.links.codec import LONGEST, Part, Reading, query

PARTS = (
    Part("size", 3, 1, 9),
    Part("share", 0.5, 0.0, 1.0),
    Part("sorted", True),
    Part("colour", "red", menu=("red", "blue & green")),
    Part("speed", 0.0, menu=(0.0, 0.5, 4.0)),
    Part(
        "row",
        (),
        reader=lambda text: tuple(map(int, text.split("-"))),
        writer=lambda row: "-".join(map(str, row)),
    ),
)
USUAL = {part.name: part.default for part in PARTS}
OTHER = {"size": 7, "share": 0.25, "sorted": False, "colour": "blue & green", "speed": 4.0, "row": (1, 2)}


def test_what_is_written_is_read_again() -> None:
    said = Reading("?" + query(OTHER, PARTS), "nothing")
    assert said.take_all(PARTS) == OTHER
    assert said.end() == ()


def test_parts_are_written_in_their_order_after_the_version() -> None:
    assert query({"b": 1, "a": "x;y,z"}) == "v=1&b=1&a=x%3By%2Cz"
    assert query({"a": "y,z"}, safe=",") == "v=1&a=y,z"


def test_an_empty_link_says_nothing_and_is_no_fault() -> None:
    said = Reading("", "nothing")
    assert said.take_all(PARTS) == USUAL
    assert said.end() == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("size=0", "The link's size cannot be '0'; 3 is used."),
        ("size=10", "The link's size cannot be '10'; 3 is used."),
        ("size=2.5", "The link's size cannot be '2.5'; 3 is used."),
        ("share=nan", "The link's share cannot be 'nan'; 0.5 is used."),
        ("share=inf", "The link's share cannot be 'inf'; 0.5 is used."),
        ("sorted=perhaps", "The link's sorted cannot be 'perhaps'; True is used."),
        ("colour=pink", "The link's colour cannot be 'pink'; red is used."),
        ("speed=1", "The link's speed cannot be '1'; 0.0 is used."),
        ("row=1-x", "The link's row cannot be '1-x' and was left out."),
        ("row=" + 50 * "y", f"The link's row cannot be '{40 * 'y'}' and was left out."),
        ("taste=sweet", "The link's part 'taste' is not known and was left out."),
        ("v=2", "The link is of version 2, this program reads version 1; what fits is used."),
        (
            "size=4&share=" + LONGEST * "1",
            f"The link is longer than {LONGEST} characters; the first page is shown.",
        ),
    ],
)
def test_a_wrong_part_is_left_at_its_default_with_one_sentence(text: str, fault: str) -> None:
    said = Reading(text, "the first page")
    assert said.take_all(PARTS) == USUAL
    assert said.end() == (fault,)


def test_a_page_may_read_longer_links() -> None:
    text = "row=" + "-".join(["1"] * LONGEST)
    said = Reading(text, "nothing", len(text))
    assert len(said.take(PARTS[-1])) == LONGEST


def test_a_group_is_taken_by_its_prefix_without_it() -> None:
    said = Reading("set.size=4&size=5&set.=6&reset=7", "nothing")
    assert said.take_group("set.") == {"size": "4", "": "6"}
    assert said.take(PARTS[0]) == 5
    assert said.end() == ("The link's part 'reset' is not known and was left out.",)


def test_a_list_keeps_what_is_not_refused() -> None:
    def even(text: str) -> int:
        if int(text) % 2:
            raise Refused(f"{text} is odd")
        return int(text)

    said = Reading("numbers=4;5;;6", "nothing")
    assert said.take_each("numbers", even) == (4, 6)
    assert said.take_each("others", even) == ()
    assert said.end() == ("One of the link's numbers was left out: 5 is odd.",)
