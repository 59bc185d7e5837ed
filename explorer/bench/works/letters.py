"""Handwritten words, small split: train on 626 of them, to a proved relative gap of 1% and of 0.1%.

The bars: 5 times as fast as a C program of the same objective took on a quiet machine (2.4 processor seconds
to about 1%, 5.5 to about 0.1%), scaled by how long crfsuite takes beside our run compared with then (2.2 s).
"""

from collections.abc import Mapping

from explorer.bench import ours, peers
from explorer.bench.table import ratio
from explorer.bench.work import Record, Verdict, Work
from explorer.bench.works import ocr
from explorer.engine.learners import FrankWolfe, OneSlack, SequentialDual
from explorer.engine.objective import from_sum

QUIET_CRF = 2.2
"""Processor seconds of crfsuite's L-BFGS when the seconds of the C program were measured."""

REFERENCE = {"sequential dual, 1%": 2.4, "sequential dual, 0.1%": 5.5}
FASTER = 5.0
CRF = "crfsuite L-BFGS"
DLIB = "dlib cutting plane, numpy oracle"


def price(n: int) -> float:
    """C on the mean slack."""
    return from_sum(ocr.C_SUM, n)


CONTESTANTS = {
    "sequential dual, 1%": ours.contestant(ocr.build, ocr.few, lambda n: SequentialDual(price(n)), 0.01),
    CRF: peers.crfsuite("lbfgs", ocr.items, **ocr.EVERY_WEIGHT),
    "sequential dual, 0.1%": ours.contestant(ocr.build, ocr.few, lambda n: SequentialDual(price(n)), 0.001),
    "crfsuite averaged perceptron": peers.crfsuite("ap", ocr.items, max_iterations=50, **ocr.EVERY_WEIGHT),
    "Frank-Wolfe pairwise, 1%": ours.contestant(
        ocr.build,
        ocr.few,
        lambda n: FrankWolfe(price(n), move="pairwise", sampling="gap"),
        0.01,
        look_every=5,
    ),
    "1-slack, 1%": ours.contestant(ocr.build, ocr.few, lambda n: OneSlack(price(n), eps=1e-4), 0.01),
    DLIB: peers.dlib_chains(
        lambda words: (words.inputs, words.labels, ocr.LETTERS, price(len(words.labels))), eps=0.1
    ),
}


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """How many times as fast as the scaled reference."""
    verdicts = []
    for name, seconds in REFERENCE.items():
        slower = ratio(summary, CRF, name)
        if slower is not None:
            times = seconds / QUIET_CRF * slower
            asked = f"{name}: at least {FASTER:g} times as fast as the scaled C reference ({seconds} s)"
            verdicts.append(Verdict(asked, f"{times:.2f} times", times >= FASTER))
    return verdicts


WORK = Work(
    "letters",
    "626 handwritten words, 26 states, to a gap of 1% and 0.1%; crfsuite and dlib beside it",
    lambda folder: ocr.load(folder, (0,)),
    CONTESTANTS,
    ocr.score,
    judge,
    once=(DLIB,),
)
