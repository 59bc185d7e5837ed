"""A problem tried out before it is trained: its loss, features, oracle and predictor, against each other.

Asked are some examples at w = 0, where only the loss counts, and at small and large random w. Known
labellings of an example are all of them where they are few, and otherwise its truth, the truths of other
examples that fit it, and whatever oracle and predictor answered. By the definition of the contract

    loss(truth) = 0 <= loss(y),   psi = features(truth) - features(y),   H(oracle(w)) >= H(y) for every y,
    w . features(predict(w)) >= w . features(y) for every y

and each of these is looked at for every known labelling. What holds for them may still fail for others: this
finds mistakes, and proves nothing. Cost: `EXAMPLES` times `WEIGHTS` oracle calls, and the features of all
known labellings.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorer.engine.contracts import Enumerates, Geometry, Predicts, Problem, lacking, oracle_kind
from explorer.engine.events import Cut
from explorer.engine.objective import cut_of, label_key, lift
from explorer.engine.refusals import Refused
from explorer.engine.runs.second_look import Look
from explorer.engine.vectors import Array, dense, dot

EXAMPLES = 12
"""Examples that are asked, spread over all of them."""

SCALES = (0.0, 0.1, 1.0, 1.0, 10.0, 1000.0)
WEIGHTS = len(SCALES)
"""How long the vectors are at which the oracle is asked."""

FEW = 2000
"""Labellings of an example that are all looked at."""

CLOSE = 1e-6


@dataclass(slots=True)
class Tried:
    """What was found wrong, under its title, and how many things were looked at."""

    wrong: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    short: int = 0

    def note(self, title: str, holds: bool, sentence: str) -> None:
        """Count one look, and keep what it found wrong."""
        self.counts[title] = self.counts.get(title, 0) + 1
        if not holds:
            self.wrong.setdefault(title, []).append(sentence)


def check(problem: Problem, seed: int = 0) -> list[Look]:
    """What a trial of the problem finds: one look for each thing tried, `holds` False where it is wrong."""
    missing = lacking(problem)
    if missing:
        return [Look("contract", f"a {type(problem).__name__} has no `{missing[0]}`; add it", False)]
    if problem.n == 0:
        return [Look("contract", "the problem has no examples, so there is nothing to try", None)]
    tried, rng = Tried(), np.random.default_rng(seed)
    directions = [scale * rng.normal(size=problem.dim) for scale in SCALES]
    for i in np.unique(np.linspace(0, problem.n - 1, EXAMPLES).astype(int)):
        try_example(problem, int(i), directions, tried)
    return list(report(problem, tried))


def try_example(problem: Problem, i: int, directions: list[Array], tried: Tried) -> None:
    """Look at one example; what breaks is kept as one more thing that is wrong."""
    place = "loss"
    try:
        truth = problem.dataset.labels[i]
        tried.note(
            "loss",
            problem.loss(i, truth) == 0.0,
            f"the truth of example {i} loses {problem.loss(i, truth)}, not 0",
        )
        place = "features"
        if looked_at(problem, i, truth, tried) is None:
            return
        place = "oracle"
        answers = [oracle_answer(problem, w, i, tried) for w in directions]
        place = "predictor"
        guesses = [problem.predict(w.copy(), problem.dataset.inputs[i]) for w in directions]
        place = "features"
        known = known_cuts(problem, i, [cut.label for cut in answers], guesses, tried)
        for w, cut, guess in zip(directions, answers, guesses, strict=True):
            compare(problem, w, cut, known, tried)
            compare_scores(problem, w, i, guess, known, tried)
    except Exception as fault:  # noqa: BLE001  # a user's functions may break in any way
        said = str(fault) if isinstance(fault, Refused) else f"{type(fault).__name__}: {str(fault)[:200]}"
        tried.note(place, False, f"example {i} cannot be asked: {said}")


def oracle_answer(problem: Problem, w: Array, i: int, tried: Tried) -> Cut:
    """The oracle's answer, whose parts must fit together."""
    given = w.copy()
    cut = problem.oracle(given, i)
    tried.note(
        "oracle", np.array_equal(given, w), f"the oracle changes w (example {i}); let it work on a copy"
    )
    tried.note("oracle", cut.i == i, f"the oracle's cut of example {i} says that it is of example {cut.i}")
    again = cut_of(problem, i, cut.label)
    off = float(np.abs(dense(cut.psi) - dense(again.psi)).max(initial=0.0))
    tried.note(
        "oracle",
        off <= CLOSE * max(1.0, float(np.abs(dense(again.psi)).max(initial=0.0))),
        f"psi of the oracle's cut of example {i} is not features(truth) - features(label): off by {off:.3g}",
    )
    tried.note(
        "oracle",
        abs(cut.loss - again.loss) <= CLOSE * max(1.0, abs(again.loss)),
        f"the loss of the oracle's cut of example {i} is {cut.loss:.6g}, its label loses {again.loss:.6g}",
    )
    return cut


def known_cuts(problem: Problem, i: int, answers: list[Any], guesses: list[Any], tried: Tried) -> list[Cut]:
    """The cuts of all labellings of example i that are known."""
    found = [*answers, *guesses, problem.dataset.labels[i], *others(problem, i)]
    if isinstance(problem, Enumerates) and problem.labellings_count(i) <= FEW:
        found = [*problem.labellings(i), *found]
    cuts = [looked_at(problem, i, label, tried) for label in {label_key(y): y for y in found}.values()]
    return [cut for cut in cuts if cut is not None]


def others(problem: Problem, i: int) -> Iterator[Any]:
    """Truths of other examples that are labellings of example i as well: those whose loss can be had."""
    for other in problem.dataset.labels[: 2 * EXAMPLES]:
        try:
            problem.loss(i, other)
            problem.features(i, other)
        except Exception:  # noqa: BLE001  # it does not fit, which is no fault
            continue
        yield other


def looked_at(problem: Problem, i: int, label: Any, tried: Tried) -> Cut | None:
    """The cut of one labelling, if its loss and its features are what they must be."""
    loss, psi = problem.loss(i, label), dense(problem.features(i, label))
    fits = psi.shape == (problem.dim,) and bool(np.isfinite(psi).all())
    shape = f"{psi.size} entries" if psi.shape != (problem.dim,) else "a NaN or infinite number"
    tried.note(
        "features", fits, f"features({i}, {label!r}) have {shape}; {problem.dim} finite ones are needed"
    )
    held = bool(np.isfinite(loss)) and loss >= 0.0
    tried.note("loss", held, f"loss({i}, {label!r}) is {loss}; a loss is a finite number, 0 or more")
    return cut_of(problem, i, label) if fits and held else None


def compare(problem: Problem, w: Array, cut: Cut, known: list[Cut], tried: Tried) -> None:
    """No known labelling may be violated more than the oracle's answer, nor the truth."""
    kind = oracle_kind(problem)
    values = [violation(problem, w, other) for other in known]
    found, best = violation(problem, w, cut), int(np.argmax(values))
    enough = found >= values[best] - CLOSE * max(1.0, abs(values[best]), scale_of(problem, w, cut))
    tried.short += not enough
    at_zero = not np.any(w)
    if kind in ("exact", "over") or (kind == "unclaimed" and (at_zero or found < -CLOSE)):
        hint = "does it add the loss?" if at_zero else "does it maximise loss plus score, the truth included?"
        tried.note(
            "oracle",
            enough,
            f"the oracle answers {cut.label!r} for example {cut.i} at {name_of_w(w)}, violated by "
            f"{found:.6g}, although {known[best].label!r} is violated by {values[best]:.6g}; {hint}",
        )


def compare_scores(problem: Problem, w: Array, i: int, guess: Any, known: list[Cut], tried: Tried) -> None:
    """No known labelling may score more than the prediction, unless the predictor is approximate."""
    if (isinstance(problem, Predicts) and problem.predictor.kind != "exact") or isinstance(problem, Geometry):
        return
    mine = cut_of(problem, i, guess)
    margins = [dot(w, other.psi) for other in known]
    least, own = int(np.argmin(margins)), dot(w, mine.psi)
    tried.note(
        "predictor",
        own <= margins[least] + CLOSE * max(1.0, abs(own), scale_of(problem, w, mine)),
        f"predict answers {guess!r} for example {i} at {name_of_w(w)}, although {known[least].label!r} "
        f"scores {own - margins[least]:.6g} more; it must agree with an oracle whose loss is 0",
    )


def violation(problem: Problem, w: Array, cut: Cut) -> float:
    """H of a cut at w."""
    return problem.pricing.violation(dot(lift(problem, w), cut.psi), cut.loss)


def scale_of(problem: Problem, w: Array, cut: Cut) -> float:
    """How large the numbers are that H is made of."""
    return float(np.abs(w) @ np.abs(dense(cut.psi))) * problem.pricing.weight(cut.loss)


def name_of_w(w: Array) -> str:
    """A w in words."""
    return "w = 0" if not np.any(w) else f"a random w of length {float(np.linalg.norm(w)):.3g}"


def report(problem: Problem, tried: Tried) -> Iterator[Look]:
    """For each thing tried, the first sentence of what is wrong, or that nothing is."""
    for title in ("loss", "features", "oracle", "predictor"):
        wrong, count = tried.wrong.get(title, []), tried.counts.get(title, 0)
        more = f" ({len(wrong)} such cases of {count})" if len(wrong) > 1 else ""
        if wrong:
            yield Look(title, f"{wrong[0]}{more}", False)
        elif count:
            yield Look(title, f"nothing wrong in {count} looks", True)
    if oracle_kind(problem) != "exact" and "oracle" not in tried.wrong:
        kind = (
            "not claimed exact"
            if oracle_kind(problem) == "unclaimed"
            else f'of kind "{oracle_kind(problem)}"'
        )
        claim = "; nothing speaks against claiming it" if not tried.short and "not" in kind else ""
        yield Look("oracle", f"it is {kind}: {tried.short} answers were not the most violated{claim}")


__all__ = ["check"]
