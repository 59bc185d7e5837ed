"""The Gram matrix of the cuts, against vectors written down by hand and features computed one by one."""

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.objective import cut_of
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import dense
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.overlap import words
from explorer.views.overlap.frame import OverlapFrame, frame, gram_matrix
from explorer.views.overlap.view import Overlap
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def circle() -> Session:
    session = Session(Recipe("circle", learner="n-slack", rule={"steps": 3}))
    session.play()
    wait_until(lambda: session.collect() >= 0 and session.status == "stopped")
    yield session
    session.close()


def by_hand(*lengths: float) -> OverlapFrame:
    """Cuts along (1, 0), (1, 1) and (0, -1)."""
    angles = np.array([0.0, np.pi / 4, -np.pi / 2])
    cosine = np.cos(angles[:, None] - angles[None, :])
    three = np.arange(3)
    return OverlapFrame(4, three, np.full(3, -1), three, np.array([1.0, 0.5, 0.0]), np.ones(3), cosine, 3)


def test_cosines_are_those_of_the_features_of_each_cut(circle: Session) -> None:
    problem, trace = circle.problem, circle.trace
    shown = frame(problem, trace, len(trace) - 1)
    assert shown is not None
    labels = {}
    for step, cuts in trace.cuts.kept.items():
        for cut in cuts:
            labels.setdefault((step, cut.i), cut.label)
    vectors = [
        dense(cut_of(problem, int(i), labels[int(born), int(i)]).psi)
        for i, born in zip(shown.example, shown.born, strict=True)
    ]
    expected = np.array([[a @ b / np.sqrt((a @ a) * (b @ b)) for b in vectors] for a in vectors])
    assert len(vectors) > 2
    assert shown.cosine == pytest.approx(expected)


def test_inner_products_of_two_vectors_are_those_of_their_entries(circle: Session) -> None:
    a, b = np.zeros(circle.problem.dim), np.zeros(circle.problem.dim)
    a[:2], b[:2] = (3.0, 4.0), (1.0, -1.0)
    assert gram_matrix(circle.problem, [a, b]) == pytest.approx(np.array([[25.0, -1.0], [-1.0, 2.0]]))


def test_the_two_most_alike_are_named() -> None:
    shown = by_hand()
    assert shown.closest == (0, 1)
    assert words.sentence(shown) == "Step 4: 3 cuts; cut 0 and cut 1 are most alike, cosine 0.7071."
    assert words.table(shown)["cut 2"] == pytest.approx([0.0, -np.sqrt(0.5), 1.0])


def test_without_cuts_the_sentence_says_so(circle: Session) -> None:
    assert "keeps no cuts" in words.sentence(None)
    assert frame(circle.problem, Trace(), 0) is None


def test_the_view_draws_every_pair_in_every_theme(circle: Session) -> None:
    view = Overlap(circle)
    try:
        for theme in THEMES.values():
            view.theme = theme
        assert len(view.cells.data["x"]) == len(view.shown.number) ** 2
        view.show(by_hand())
        assert list(view.cells.data["text"])[:3] == ["1", "0.71", "0"]
        view.show(None)
        assert not len(view.cells.data["x"])
    finally:
        view.close()
