"""Whatever a link says, its page opens and says in short sentences what it could not use."""

from itertools import islice

from tests.fuzz.links import Links, read


def test_changed_links_of_every_page_are_read_in_words() -> None:
    wrong = {f"{page}?{text}": read(page, text) for page, text in islice(Links(1), 400)}
    assert {text: fault for text, fault in wrong.items() if fault} == {}


def test_numbers_of_hundreds_of_digits_and_signs_in_a_row_are_no_numbers() -> None:
    for page, text in (
        ("studio", "task=circle&set.C=" + "9" * 400),
        ("studio", "task=circle&seed=" + "9" * 400),
        ("studio", "cursor=--1"),
        ("lab", "step=--1"),
        ("lab", "oracles=belief propagation(sweeps=1000000000,tolerance=0)"),
        ("clusters", "edits=0-1:" + "9" * 400),
    ):
        assert read(page, text) == ""
