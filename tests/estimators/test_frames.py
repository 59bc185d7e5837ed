"""Frames: of weights, of a run, and the sentence where pandas is missing."""

import sys

import pytest

from explorer.engine.refusals import Refused
from explorer.estimators.classes import StructuredClassifier
from explorer.estimators.frames import trace_frame
from tests.estimators.samples import points


def test_a_run_is_a_frame_with_one_row_for_every_step() -> None:
    fitted = StructuredClassifier(learner="sequential-dual").fit(*points())
    frame = trace_frame(fitted.trace_)
    assert len(frame) == len(fitted.trace_)
    assert frame["dual"].iloc[-1] == fitted.certificate_.dual
    assert (frame["dual"].diff().dropna() >= -1e-12).all()


def test_without_pandas_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = StructuredClassifier().fit(*points())
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Refused, match=r"ssvm-explorer\[frames\]"):
        fitted.weights_frame()
