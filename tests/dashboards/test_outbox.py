"""Changes of a document in a notebook: kept until the page listens, in order, whole, without echo."""

from typing import Any

import pytest
from bokeh.document import Document
from bokeh.models import Column, Div, ImportedStyleSheet, InlineStyleSheet
from panel.io.resources import CDN_DIST

from explorer.dashboards import outbox
from explorer.dashboards.outbox import Outbox


class Post:
    """Stands for a comm: it has an id."""

    id = "page"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """What Panel is asked to send, a list of events for each message."""
    messages: list[list[Any]] = []

    def push(document: Any, comm: Any) -> None:
        events = list(document.callbacks._held_events)
        document.callbacks._held_events = []
        document.models.flush_synced()
        if events:
            messages.append([(event.attr, event.new) for event in events])

    monkeypatch.setattr(outbox, "push", push)
    return messages


class Loop:
    """An event loop whose turns end when we say so."""

    def __init__(self) -> None:
        self.due: list[Any] = []

    def add_callback(self, act: Any) -> None:
        self.due.append(act)

    def turn(self) -> None:
        """End a turn."""
        due, self.due = self.due, []
        for act in due:
            act()


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> tuple[Outbox, Column, Div, Loop]:
    loop, document = Loop(), Document()
    monkeypatch.setattr(outbox.IOLoop, "current", lambda *_, **__: loop)
    monkeypatch.setattr(outbox, "REST", 1e9)
    document.callbacks = box = Outbox(document, Post(), "script", "find", "look")
    text = Div(text="first")
    column = Column(children=[text])
    document.add_root(column)
    document.models.flush_synced()
    box.start()
    box.document = document
    return box, column, text, loop


def test_nothing_is_sent_before_the_page_listens_and_then_the_last_of_each(page: Any, sent: Any) -> None:
    box, _, text, loop = page
    text.text = "second"
    text.text = "third"
    loop.turn()
    assert sent == []
    box.listen()
    assert sent == [[("text", "third")]]


def test_the_changes_of_a_turn_are_one_message(page: Any, sent: Any) -> None:
    box, _, text, loop = page
    box.listen()
    text.text = "second"
    text.width = 5
    text.text = "third"
    assert sent == []
    loop.turn()
    assert sent == [[("text", "third"), ("width", 5)]]


def test_while_turns_do_not_end_changes_are_sent_now_and_then(
    page: Any, sent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, _, text, _ = page
    box.listen()
    monkeypatch.setattr(outbox, "REST", -1.0)
    text.text = "second"
    text.text = "third"
    assert sent == [[("text", "third")]]


def test_of_a_model_that_came_and_went_nothing_is_told(page: Any, sent: Any) -> None:
    box, column, text, _ = page
    passing, staying = Div(text="a"), Div(text="b")
    column.children = [text, passing]
    passing.text = "gone"
    column.children = [text, staying]
    staying.text = "new"
    box.listen()
    assert sent == [[("children", [text, staying])]]


def test_what_the_page_has_changed_is_acted_on_and_not_told_to_it(page: Any, sent: Any) -> None:
    box, _, text, loop = page
    heard: list[str] = []
    text.on_change("text", lambda attr, old, new: heard.append(new))
    text.text = "ours"
    loop.turn()
    text.set_from_json("text", "theirs", setter="page")
    assert text.text == "theirs"
    box.unhold()
    box.listen()
    assert heard == ["theirs"]
    assert sent == []


def test_style_sheets_are_put_in_once(page: Any, sent: Any) -> None:
    box, column, text, _ = page
    url = f"{CDN_DIST}css/loading.css?v=1"
    more = [Div(stylesheets=[ImportedStyleSheet(url=url), "p {}"]) for _ in range(2)]
    column.children = [text, *more]
    text.stylesheets = [ImportedStyleSheet(url=url), ImportedStyleSheet(url="mine.css")]
    box.listen()
    inside = [model.stylesheets[0] for model in (*more, text)]
    assert isinstance(inside[0], InlineStyleSheet)
    assert "pn-loading" in inside[0].css
    assert inside[0] is inside[1] is inside[2]
    assert text.stylesheets[1].url == "mine.css"
