"""A film: what a machine answers to one example, step by step, as pictures and sentences.

At each step there are the guess  argmax_y w.Psi(x, y),  the most tempting wrong answer
argmax_y loss(y) - w.(Psi(x, truth) - Psi(x, y)),  both bounds and one sentence. Pictures that recur are kept
once. Cost: one prediction and one oracle call for each step that is shown.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.views.inspector.caption import CaptionFrame, answer, proof, sentence
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import evenly

MOST_STEPS = 80
"""Steps of a film; of a longer run as many are shown, evenly spaced, with the first and the last."""


@dataclass(slots=True)
class Pictures:
    """Pictures by number, each kept once."""

    kept: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def put(self, picture: str) -> int:
        """The number of a picture."""
        if picture not in self.numbers:
            self.numbers[picture] = len(self.kept)
            self.kept.append(picture)
        return self.numbers[picture]


@dataclass(frozen=True, slots=True, eq=False)
class FilmStep:
    """One step: its number, bounds (None where unknown), pictures by number, and what is said."""

    k: int
    primal: float | None
    dual: float | None
    guess: int
    tempting: int | None
    right: bool
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class RunFilm:
    """What is given, the truth, and the steps. `link` is the page on which the run can be gone on with."""

    title: str
    seen: str
    truth: int
    pictures: tuple[str, ...]
    steps: tuple[FilmStep, ...]
    link: str = ""

    def plain(self) -> Mapping[str, Any]:
        """The film as plain lists and numbers."""
        return asdict(self)

    def save(self, path: str | Path) -> None:
        """Write a page that plays without a server (.html), or a moving image (.gif)."""
        where, ending = Path(path), Path(path).suffix.lower()
        if ending not in (".html", ".gif"):
            raise Refused(f"a film is saved as .html or .gif, not as {where.name}")
        module = import_module("explorer.player." + ("web_page" if ending == ".html" else "moving_image"))
        where.write_bytes(module.file_of(self))


def film(
    problem: Problem, trace: Trace, example: int = 0, title: str = "", link: str = "", most: int = MOST_STEPS
) -> RunFilm:
    """The film of one example over a recorded run."""
    if not len(trace):
        raise Refused("there is nothing to play: the run has no step yet; train it first")
    if not 0 <= example < problem.n:
        raise Refused(f"there is no example {example}; choose one from 0 to {problem.n - 1}")
    draw, pictures = depiction_of(problem).portrait, Pictures()
    truth = pictures.put(draw(problem, example, problem.dataset.labels[example]))
    steps = tuple(
        film_step(problem, trace, int(k), example, pictures) for k in evenly(len(trace), most).tolist()
    )
    return RunFilm(title, draw(problem, example), truth, tuple(pictures.kept), steps, link)


def film_step(problem: Problem, trace: Trace, at: int, example: int, pictures: Pictures) -> FilmStep:
    """What is seen at one step."""
    draw, moment = depiction_of(problem).portrait, trace.at(at)
    labels = (
        problem.predict(moment.w, problem.dataset.inputs[example]),
        problem.oracle(moment.w, example).label,
    )
    guess, rival = (answer(problem, example, label) for label in labels)
    verb = depiction_of(problem).verb
    caption = CaptionFrame(at, f"Example {example}", verb, guess, rival, proof(trace, at))
    primal, dual = (short_figure(moment.figures.get(name)) for name in ("primal", "dual"))
    return FilmStep(
        k=at,
        primal=primal,
        dual=dual,
        guess=pictures.put(draw(problem, example, labels[0])),
        tempting=None if rival.right else pictures.put(draw(problem, example, labels[1])),
        right=guess.right,
        words=sentence(caption),
    )


def short_figure(value: float | None) -> float | None:
    """A figure in as many digits as a picture needs; None where it was not computed."""
    return float(f"{value:.6g}") if value is not None and np.isfinite(value) else None


__all__ = ["FilmStep", "RunFilm", "film"]
