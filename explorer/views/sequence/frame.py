"""One sequence over time as plain arrays: observations, three labellings, and the margin of the truth.

    cost[t] = max_y score(y) - max { score(y) : y_t = truth_t }
        what forcing the true state costs; 0 on a best path
    lead[t] = max_y score(y) - max { score(y) : y_t /= truth_t }
        what leaving it would cost; 0 where another is as good

At every position one of the two is 0, and both are there for any w, in units of the score w . Psi. The
labellings and prices are those of the trellis. Cost: one trellis; what is observed does not depend on w and
is read once for each example.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.rows import is_sparse
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.chain_tables import labellings, tables
from explorer.views.kit.drawing.thinning import dense
from explorer.views.kit.words.label_words import state_names
from explorer.wording import number, quantity

FEW, MOST = 12, 40
"""This many features are told in numbers, and this many have a row of cells."""

MOST_IMAGES = 40
"""Longer sequences of images are shown as features: the images would be specks."""

NAMED = 3
"""Runs of wrong positions that a sentence names, and features that a hint names."""

ROLES = ("truth", "guess", "most tempting")


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What is seen at each position: `cells` are T images, or a row over time per feature, none for words."""

    kind: str
    name: str
    cells: Array
    words: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SequenceFrame:
    """One sequence at one step; `paths` has the truth alone while nothing is trained."""

    step: int | None
    phase: int
    name: str
    example: int
    examples: int
    states: tuple[str, ...]
    seen: Observed
    paths: dict[str, Ints]
    cost: Array
    lead: Array

    def __len__(self) -> int:
        return len(self.paths["truth"])

    @property
    def trained(self) -> bool:
        """Whether there are weights to predict with."""
        return self.step is not None

    def wrong(self, role: str = "guess") -> Any:
        """Where a labelling is not the truth."""
        return self.paths[role] != self.paths["truth"]


def frame(
    problem: Chain,
    trace: Trace,
    at: int,
    example: int = 0,
    name: str = "Example",
    *,
    phase: int = 0,
    seen: Observed | None = None,
) -> SequenceFrame:
    """An example at the weights of step `at`; `seen` is what `observed` told of this example before."""
    i = min(max(0, example), problem.n - 1)
    step = min(at, len(trace) - 1) if len(trace) else None
    scores = problem.chains(np.zeros(problem.dim) if step is None else trace.at(step).w, i, i + 1)
    truth, guess, rival = labellings(problem, i, scores)
    paths = {"truth": truth} if step is None else dict(zip(ROLES, (truth, guess, rival), strict=True))
    states, price = state_names(problem.dataset, problem.states), tables(scores)[2]
    is_true = np.arange(len(states)) == truth[:, None]
    return SequenceFrame(
        step,
        phase,
        name,
        i,
        problem.n,
        states,
        observe(problem, i) if seen is None else seen,
        paths,
        cost=below_best(price, is_true),
        lead=below_best(price, ~is_true),
    )


def below_best(price: Array, allowed: Any) -> Array:
    """How far the best labelling through an allowed state lies below the best of all, at each position."""
    best = np.where(allowed, price, -np.inf).max(axis=1)
    scale = max(1.0, float(np.abs(price[np.isfinite(price)]).max(initial=0.0)))
    return np.where(np.isfinite(best) & (best < -1e-12 * scale), -best, 0.0)  # rounding is no cost


# what is observed -------------------------------------------------------------------------------------------


def observe(problem: Chain, i: int) -> Observed:
    """What is seen of example i: words, images, or the features that vary most."""
    x, meta = problem.dataset.inputs[i], problem.dataset.meta
    if i < len(meta.get("observed", ())):  # curves and squares are made of what was observed
        x, meta = meta["observed"][i], {**meta, "feature_names": meta["observed_names"]}
    words = meta["words"][i] if i < len(meta.get("words", ())) else ()
    if len(words):
        return Observed(
            "words", "words", np.zeros((0, len(words))), tuple(map(str, words)), tuple(map(str, words))
        )
    if "image_shape" in meta and len(problem.dataset.labels[i]) <= MOST_IMAGES:
        rows, columns = meta["image_shape"]
        images = dense(x)[:, : rows * columns].reshape(-1, rows, columns)
        ink = images.mean(axis=(1, 2)) / max(float(np.abs(images).max()), 1e-12)
        return Observed("images", "images", images, (), tuple(f"image, {share:.0%} ink" for share in ink))
    return features(x, feature_namer(meta, x.shape[1]))


def feature_namer(meta: Any, count: int) -> Callable[[int], str]:
    """What a feature is called: the data's name for it, else its number."""
    names = meta.get("feature_names", ())
    return (lambda f: str(names[f])) if len(names) == count else (lambda f: f"x{f}")


def features(x: Any, called: Callable[[int], str]) -> Observed:
    """The features as rows over time: all, or those with the largest variance, in their order."""
    count = x.shape[1]
    square = np.asarray((x.multiply(x) if is_sparse(x) else np.square(x)).mean(axis=0)).ravel()
    spread = square - np.asarray(x.mean(axis=0)).ravel() ** 2
    spread[spread < 1e-9 * square] = 0.0  # a constant feature, up to rounding
    kept = np.sort(np.argsort(-spread, kind="stable")[:MOST])
    rows = dense(x[:, kept])
    title = (
        quantity(count, "feature") if len(kept) == count else f"{len(kept)} of {quantity(count, 'feature')}"
    )
    names = [called(int(f)) for f in kept]
    return Observed("values", title, rows.T, (), tuple(values_text(row, names) for row in rows))


def values_text(row: Array, names: list[str]) -> str:
    """The values of a few features in their order; of many only the largest, by name."""
    if len(row) <= FEW:
        return " ".join(f"{value:.2g}" for value in row)
    largest = np.argsort(-np.abs(row), kind="stable")[:NAMED]
    return ", ".join(f"{names[f]} = {row[f]:.2g}" for f in largest if row[f]) or "all 0"


# words ------------------------------------------------------------------------------------------------------


def runs(flags: Any) -> list[tuple[int, int]]:
    """First and last position of every run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]])))
    return list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))


def sentence(shown: SequenceFrame) -> str:
    """Where the prediction is wrong and what forcing the truth costs there, or how safe it is."""
    who, T = f"{shown.name} {shown.example}", len(shown)
    if not shown.trained:
        return (
            f"{who}: {quantity(T, 'position')} in {quantity(len(shown.states), 'state')}. Press play to "
            "predict the states."
        )
    wrong = shown.wrong()
    if wrong.any():
        text = f"{who}: {wrong.sum()} of {quantity(T, 'position')} wrong, {places(runs(wrong))}; "
        text += f"forcing the truth there costs up to {number(float(shown.cost[wrong].max()))}."
    else:
        near = int(np.argmin(shown.lead))
        text = f"{who}: all {quantity(T, 'position')} right, the nearest to a mistake {near}, "
        text += f"where the truth leads by {number(float(shown.lead[near]))}."
    return f"{text} {rival(shown)}" if shown.phase >= 1 else text


def places(found: list[tuple[int, int]]) -> str:
    """Runs of positions in words; of many the first few."""
    texts = [str(a) if a == b else f"{a} to {b}" for a, b in found[:NAMED]]
    more = len(found) - len(texts)
    texts += [f"{more} more"] if more else []
    listed = " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
    return f"in {len(found)} runs: {listed}" if len(found) > 1 else f"at {listed}"


def rival(shown: SequenceFrame) -> str:
    """How far from the truth the most tempting labelling is."""
    other = int(np.count_nonzero(shown.wrong("most tempting")))
    return f"The most tempting labelling has {other} wrong." if other else "Nothing is violated."


def describe_position(shown: SequenceFrame, t: int) -> str:
    """One position in words."""
    states = [f"{role} '{shown.states[path[t]]}'" for role, path in shown.paths.items()]
    where = f"{shown.name} {shown.example}, position {t}"
    if not shown.trained:
        return f"{where}: {states[0]}."
    cost, lead = float(shown.cost[t]), float(shown.lead[t])
    margin = f"forcing the truth costs {number(cost)}" if cost > 0 else f"the truth leads by {number(lead)}"
    return f"{where}: {', '.join(states)}; {margin}."


def table(shown: SequenceFrame) -> dict[str, Any]:
    """One row for every position."""
    columns: dict[str, Any] = {"position": np.arange(len(shown)), "observed": shown.seen.texts}
    columns |= {role: [shown.states[s] for s in path] for role, path in shown.paths.items()}
    return columns | ({"cost of truth": shown.cost, "lead of truth": shown.lead} if shown.trained else {})
