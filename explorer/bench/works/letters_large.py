"""Handwritten words, large split: train on 6,251 words to a proved gap of 1%, test on the other 626.

C is that of the small split, 0.1 on each word's slack. Bars: 3 times as fast as crfsuite's L-BFGS in the same
run, and no more than half a point more wrong letters.
"""

from collections.abc import Mapping

from explorer.bench import ours, peers
from explorer.bench.table import middle, ratio
from explorer.bench.work import Record, Verdict, Work
from explorer.bench.works import ocr
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import from_sum

OURS, CRF = "sequential dual, 1%", "crfsuite L-BFGS"
FASTER, WORSE = 3.0, 0.005

CONTESTANTS = {
    OURS: ours.contestant(ocr.build, ocr.few, lambda n: SequentialDual(from_sum(ocr.C_SUM, n)), 0.01),
    CRF: peers.crfsuite("lbfgs", ocr.items, **ocr.EVERY_WEIGHT),
    "crfsuite averaged perceptron": peers.crfsuite("ap", ocr.items, max_iterations=50, **ocr.EVERY_WEIGHT),
}


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Speed and error against the random field."""
    times = ratio(summary, CRF, OURS)
    if times is None:
        return []
    more = middle(summary[OURS], "test_error") - middle(summary[CRF], "test_error")
    return [
        Verdict(f"at least {FASTER:g} times as fast as {CRF}", f"{times:.2f} times", times >= FASTER),
        Verdict("at most 0.5 points more wrong letters", f"{100 * more:+.2f} points", more <= WORSE),
    ]


WORK = Work(
    "letters-large",
    "6,251 handwritten words, to a gap of 1%; crfsuite beside it",
    lambda folder: ocr.load(folder, tuple(range(1, 10))),
    CONTESTANTS,
    ocr.score,
    judge,
)
