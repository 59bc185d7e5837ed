"""The inspector's sentences and formulas hold the numbers that enumeration and the engine's own records
give.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import astuple, replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Learner, Problem
from explorer.engine.data import toys
from explorer.engine.dual.optimality import residuals
from explorer.engine.dual.working_set import solved_program
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.learners import (
    LEARNERS,
    FrankWolfe,
    NSlack,
    OneSlack,
    Perceptron,
    SampledCuts,
    Subgradient,
)
from explorer.engine.objective import cut_of, value, violation
from explorer.engine.pricing import Pricing
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace, recorded
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.theory.bounds import extent
from explorer.engine.vectors import dense
from explorer.session.state import PHASES, Session
from explorer.views.inspector import frame as inspected
from explorer.views.inspector import view as inspector
from explorer.views.inspector.step_words import EXPLAINED
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from explorer.views.kit.words.glossary import GLOSSARY, SYMBOLS, mark_terms
from tests.catalogue import chains

CIRCLE = Multiclass(toys.circle(), 3)
LINE = Multiclass(toys.four_points(), 2)
NUMBER = r"\(?(−?[\d,.]+(?:e[−+]?\d+)?)\)?"


def run(problem: Problem, learner: Learner, steps: int = 12, look_every: float = 0.0) -> Trace:
    trace = Trace()
    rule = Until(relative_gap=0.0, steps=steps)
    for _ in recorded(train(problem, learner, rule=rule, look_every=look_every), trace):
        pass
    return trace


def plain(html: str) -> str:
    """The text of a formula, without the tooltips."""
    return unescape(re.sub(r"<[^>]+>", "", html.replace("<sup>2</sup>", "²")))


def numbers(html: str) -> list[float]:
    """The numbers of a formula, in order."""
    text = plain(html).replace("½", "")
    return [
        float(found.replace("−", "-").replace(",", ""))
        for found in re.findall(NUMBER, text)
        if found.strip(",.")
    ]


def line(shown: inspected.InspectorFrame, name: str) -> inspected.Line:
    return next(one for one in shown.lines if one.name.startswith(name))


def mean_slack(problem: Any, w: Any) -> float:
    """The mean slack, or mean halved square, by listing all labellings."""
    worst = [
        max(violation(problem, w, cut_of(problem, i, y)) for y in problem.labellings(i))
        for i in range(problem.n)
    ]
    return float(np.mean(problem.pricing.cost(np.maximum(worst, 0.0))))


def mean_loss(problem: Any, w: Any) -> float:
    """The mean loss of the best labellings, by listing all of them."""

    def best(i: int) -> Any:
        return max(problem.labellings(i), key=lambda y: float(w @ dense(problem.features(i, y))))

    return float(np.mean([problem.loss(i, best(i)) for i in range(problem.n)]))


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="circle", learner="one-slack"))
    s.show_finished()
    yield s
    s.close()


# bounds -----------------------------------------------------------------------------------------------------

PRICED: dict[str, tuple[Problem, Learner]] = {
    "1-slack": (CIRCLE, OneSlack(C=10.0)),
    "1-slack, slack scaling": (Multiclass(toys.circle(), 3, pricing=Pricing("slack")), OneSlack(C=10.0)),
    "n-slack": (CIRCLE, NSlack(C=10.0)),
    "n-slack, squared": (Multiclass(toys.circle(), 3, pricing=Pricing("margin", "squared")), NSlack(C=10.0)),
    "sampled": (CIRCLE, SampledCuts(C=10.0)),
    "Frank-Wolfe": (CIRCLE, FrankWolfe(C=10.0)),
    "subgradient": (CIRCLE, Subgradient(C=10.0, batch="all", rule="constant")),
}


@pytest.mark.parametrize("name", PRICED)
def test_the_objective_line_adds_up_to_the_objective(name: str) -> None:
    problem, learner = PRICED[name]
    trace = run(problem, learner)
    for at in range(len(trace)):
        shown = inspected.frame(problem, trace, at)
        assert shown
        w = trace.weights.kept[at]
        found = line(shown, "Objective")
        assert found.value == pytest.approx(value(problem, w, 10.0))
        squared_length, C, slack, J = numbers(found.html)[-4:]
        assert squared_length == pytest.approx(float(w @ w), rel=1e-3, abs=1e-9)
        assert C == 10.0
        assert slack == pytest.approx(mean_slack(problem, w), rel=1e-3, abs=1e-9)
        assert pytest.approx(found.value, rel=1e-3) == J


@pytest.mark.parametrize("name", [name for name in PRICED if name != "subgradient"])
def test_the_dual_line_adds_up_and_stays_below_the_optimum(name: str) -> None:
    problem, learner = PRICED[name]
    trace = run(problem, learner)
    lowest = min(value(problem, w, 10.0) for w in trace.weights.kept.values())
    for at in range(len(trace)):
        shown = inspected.frame(problem, trace, at)
        assert shown
        found = line(shown, "Dual")
        *parts, dual = numbers(found.html)
        assert dual == pytest.approx(found.value, rel=1e-3, abs=1e-9)
        assert parts[0] - sum(parts[1:]) == pytest.approx(found.value, abs=2e-3 * max(1.0, parts[0]))
        assert found.value <= lowest + 1e-9
        gap = line(shown, "Gap")
        assert gap.value == pytest.approx(line(shown, "Objective").value - found.value)


def test_b_times_alpha_is_that_of_the_planes() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    state = trace.states.kept[8]
    b = float(np.dot(state["alpha"], [plane.b for plane in state["planes"]]))
    shown = inspected.frame(CIRCLE, trace, 8)
    assert shown
    assert numbers(line(shown, "Dual").html)[0] == pytest.approx(b, rel=1e-3)


@pytest.mark.spec("A14")
@pytest.mark.parametrize("name", PRICED)
def test_the_slack_bounds_the_loss_with_both_numbers_from_enumeration(name: str) -> None:
    problem, learner = PRICED[name]
    trace = run(problem, learner)
    for at in range(len(trace)):
        shown = inspected.frame(problem, trace, at)
        assert shown
        w = trace.weights.kept[at]
        found = line(shown, "Slack bounds")
        loss, slack = numbers(found.html)[:2]
        twice = 2.0 if problem.pricing.penalty == "squared" else 1.0
        assert loss == pytest.approx(mean_loss(problem, w), rel=1e-3, abs=1e-9)
        assert slack == pytest.approx(twice * mean_slack(problem, w), rel=1e-3, abs=1e-9)
        assert "✓ holds" in found.html


def test_an_older_look_is_named() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0), look_every=1000.0)
    shown = inspected.frame(CIRCLE, trace, 4)
    assert shown
    assert "(step 0, the last look)" in line(shown, "Slack bounds").html


# learners ---------------------------------------------------------------------------------------------------


def test_the_one_slack_sentence_holds_the_steps_own_numbers() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    for at in range(len(trace) - 1):
        w = trace.weights.kept[at]
        worst = [
            max((cut_of(CIRCLE, i, k) for k in range(3)), key=lambda cut: violation(CIRCLE, w, cut))
            for i in range(CIRCLE.n)
        ]
        loss = float(np.mean([cut.loss for cut in worst]))
        margin = float(np.mean([w @ dense(cut.psi) for cut in worst]))
        told = inspected.sentence(inspected.frame(CIRCLE, trace, at))
        found = re.search(
            r"mean loss ([\d.e-]+) and mean margin ([\d.e-]+), .* slack ([\d.e-]+), above the current "
            r"([\d.e-]+) by "
            r"([\d.e-]+): it enters the working set as cut (\d+)\.",
            told,
        )
        assert found, told
        parts = [float(part) for part in found.groups()]
        assert parts[2] == pytest.approx(loss - margin, rel=1e-3)
        if not np.isclose(margin, 0.0):
            assert parts[:2] == pytest.approx([loss, margin], rel=1e-3, abs=1e-9)
        assert parts[4] == pytest.approx(loss - margin - trace.column("xi")[at], rel=1e-3)
        assert parts[5] == at


def test_the_last_cut_stays_out() -> None:
    trace = run(LINE, OneSlack(C=4.0), steps=100)
    told = inspected.sentence(inspected.frame(LINE, trace, len(trace) - 1))
    assert "it stays out" in told


def test_a_remembered_cut_is_not_the_oracles() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0, cache=3), steps=40, look_every=1000.0)
    at = int(np.flatnonzero(trace.column("cached") == 1.0)[0])
    shown = inspected.frame(CIRCLE, trace, at)
    assert shown
    assert "memory of earlier labellings" in shown.sentence
    assert shown.verdict == "no certificate at this step"


def test_the_n_slack_step_shows_one_of_its_cuts() -> None:
    trace = run(CIRCLE, NSlack(C=10.0))
    shown = inspected.frame(CIRCLE, trace, 0)
    assert shown
    assert "12 cuts entered the working set, which now holds 12" in shown.sentence
    found = next(one for one in shown.lines if one.name.startswith("For example"))
    i = int(found.name.split()[-1])
    w = trace.weights.kept[0]
    assert found.value == pytest.approx(max(violation(CIRCLE, w, cut_of(CIRCLE, i, k)) for k in range(3)))
    last = inspected.frame(CIRCLE, trace, len(trace) - 1)
    assert last
    assert "nothing is left to add" in last.sentence


def test_a_frank_wolfe_step_says_by_how_much_it_raised_the_dual() -> None:
    trace = run(CIRCLE, FrankWolfe(C=10.0))
    for at in (3, 7):
        shown = inspected.frame(CIRCLE, trace, at)
        rise = trace.column("dual")[at] - trace.column("dual")[at - 1]
        assert shown
        assert f"raised the dual by {rise:.4g}" in shown.sentence
        assert line(shown, "Sum of block gaps").value == trace.column("gap_estimate")[at]


@pytest.mark.spec("A11")
def test_the_perceptron_proof_is_spelled_out() -> None:
    trace = run(LINE, Perceptron(every="update"))
    shown = inspected.frame(LINE, trace, 0)
    assert shown
    assert numbers(line(shown, "Length").html)[-2:] == [200.0, 200.0]
    along, least = numbers(line(shown, "Progress").html)
    assert along == pytest.approx(10 * math.sqrt(2), rel=1e-3)
    assert least == pytest.approx(4 * math.sqrt(2), rel=1e-3)
    assert numbers(line(shown, "Mistake bound").html)[-2:] == [1.0, 6.25]
    assert all("✓ holds" in one.html for one in shown.lines if "bound" not in one.name.lower())


@pytest.mark.parametrize(("rule", "expected"), [("pegasos", 1 / 24), ("1/t", 0.5 / 24), ("constant", 0.5)])
def test_the_subgradient_step_size_follows_its_rule(rule: str, expected: float) -> None:
    trace = run(CIRCLE, Subgradient(C=10.0, rule=rule, eta=0.5), steps=3)
    shown = inspected.frame(CIRCLE, trace, 1)
    assert shown
    assert line(shown, "Step size").value == pytest.approx(expected)
    far = float(np.linalg.norm(trace.weights.kept[1] - trace.weights.kept[0]))
    assert f"w moved by {far:.4g}" in shown.sentence


TINY = Binary(toys.two_gaussians(5, 2.0)[0], bias="regularised")
WORD = Chain(chains(), 3)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_is_explained_in_every_phase(learner: type[Learner]) -> None:
    problem = WORD if learner().refuses(TINY) else TINY
    trace = run(problem, learner(), steps=4)
    assert type(learner()).__name__ in EXPLAINED
    for at in range(len(trace)):
        told = {inspected.sentence(inspected.frame(problem, trace, at, phase)) for phase in range(4)}
        assert len(told) == 4
        assert not any("nan" in text or "unknown" in text for text in told)


def test_a_learner_nobody_explains_still_has_its_bounds() -> None:
    trace = Trace()
    trace.append(Started("line", "<b>New</b>", 4, 2, 0, True, {"C": 4.0}))
    trace.append(Step(0, np.array([0.125, -0.125]), bounds=Bounds(1 / 64, 0.01, True)))
    shown = inspected.frame(LINE, trace, 0)
    assert shown
    assert line(shown, "Gap").value == pytest.approx(1 / 64 - 0.01)
    assert "<b>New" not in inspector.page(shown)
    assert "&lt;b&gt;New" in inspector.page(shown)


# phases, proofs and changes ---------------------------------------------------------------------------------


def test_the_phases_lead_to_the_next_step(session: Session) -> None:
    view = inspector.Inspector(session)
    session.seek(3)
    trace = session.trace
    seen = {}
    for session.phase in range(4):
        shown = view.frame()
        assert shown
        seen[shown.phase] = (view.words.object, view.page.object)
        assert view.page.object.count("aria-current=") == 1
        assert f"aria-current='step'>{shown.phase}" in view.page.object
    assert set(seen) == set(PHASES)
    assert "together they ask for" in plain(seen["Find most tempting"][0])
    assert "as cut 3" in plain(seen["Add cut"][0])
    assert f"to {trace.column('dual')[4]:.4g}" in plain(seen["Solve again"][0])
    far = float(np.linalg.norm(trace.weights.kept[4] - trace.weights.kept[3]))
    assert f"moves w by {far:.4g}" in plain(seen["Solve again"][0])


def test_the_last_step_has_no_next_solution() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0), steps=3)
    told = inspected.sentence(inspected.frame(CIRCLE, trace, 2, 3))
    assert "not known" in told


@pytest.mark.spec("F10")
@pytest.mark.parametrize("learner", [OneSlack(C=10.0), NSlack(C=10.0)])
def test_the_conditions_of_the_working_set_hold_at_its_solution(learner: Learner) -> None:
    trace = run(CIRCLE, learner)
    for at in range(1, len(trace)):  # also before the end: new cuts wait for the next program
        assert all(one.value < 1e-6 for one in folded(CIRCLE, trace, at, "Optimality")), at
    at = len(trace) - 1
    program, alpha = solved_program(CIRCLE, trace.states.kept[at])
    off = residuals(program, 1.5 * alpha)
    trace.details.kept[at] = {**trace.details.kept[at], "residuals": np.array(astuple(off))}
    shown = {one.name: one.value for one in folded(CIRCLE, trace, at, "Optimality")}
    assert shown["Slack is fully priced"] == pytest.approx(0.5)
    assert shown["Only tight cuts have weight"] == off.complementarity > 1e-3
    assert shown["No cut asks for more slack"] == off.primal_feasibility


@pytest.mark.spec("F10", "C14")
def test_the_conditions_of_squared_slacks_hold_too() -> None:
    problem = replace(CIRCLE, pricing=Pricing(penalty="squared"))
    trace = run(problem, NSlack(C=10.0, eps=1e-6), steps=40)
    lines = folded(problem, trace, len(trace) - 1, "Optimality")
    assert all(one.value < 1e-6 for one in lines)
    assert "Σ α = C/n ξ: off by" in plain(lines[3].html)


def folded(problem: Problem, trace: Trace, at: int, title: str) -> tuple[inspected.Line, ...]:
    """The lines that are folded away under a title."""
    shown = inspected.frame(problem, trace, at, known=extent(problem), more=True)
    assert shown
    return next(group.lines for group in shown.more if group.title.startswith(title))


def test_the_price_of_the_four_points_is_told_in_every_convention() -> None:
    # C = 4 on the mean of n = 4 slacks: 1 on their sum, lambda = 1/4 on half the square, 1/8 on the square, n
    # / C = 1.
    lines = folded(LINE, run(LINE, NSlack(C=4.0)), 0, "C in other")
    assert [one.value for one in lines] == [4.0, 1.0, 0.25, 0.125, 1.0]
    assert plain(lines[1].html) == "½‖w‖² + 1 · Σ ξi"
    assert plain(lines[3].html) == "0.125 · ‖w‖² + mean ξi"


@pytest.mark.spec("C17")
def test_the_promise_of_the_four_points_is_known_by_hand() -> None:
    # psi = (x, -x) is longest at x = -10: R^2 = 200; D = 1. Theorem 4: max(2 * 4 / 0.5, 8 * 4 * 200 / 0.25) =
    # 25,600.
    trace = run(LINE, NSlack(C=4.0, eps=0.5, order="each"))
    at = len(trace) - 1
    added = int(trace.column("added").sum())
    shown = inspected.frame(LINE, trace, at, known=extent(LINE))
    assert shown
    assert shown.promise == f"Theorem 4 promises an end after at most 25,600 cuts; so far {added}."
    assert shown.more == ()
    longest, loss, most, older = (one.value for one in folded(LINE, trace, at, "Iteration bound"))
    assert (longest**2, loss, most) == pytest.approx((200.0, 1.0, 25_600))
    assert older == (4 * 100 + 4) / 0.25


def test_what_theorems_say_and_more_numbers_are_on_the_page(session: Session) -> None:
    view = inspector.Inspector(session)
    assert "promises an end after at most" in plain(view.page.object)
    assert "Optimality" not in view.behind.object
    view.more = True
    for title in ("Optimality of the working set", "C in other texts", "Iteration bound"):
        assert f"<h4>{mark_terms(title)}</h4>" in view.behind.object
    view.more = False
    assert "Optimality" not in view.behind.object


def test_the_certificate_is_one_only_with_an_exact_oracle() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    at = len(trace) - 1
    shown = inspected.frame(CIRCLE, trace, at)
    assert shown
    assert shown.verdict == "certificate"
    assert f"at most {trace.column('primal')[at] - trace.column('dual')[at]:.4g} above" in shown.meaning
    trace.starts[0] = (0, replace(trace.starts[0][1], exact=False))
    shown = inspected.frame(CIRCLE, trace, at)
    assert shown
    assert shown.verdict == "not a certificate: the oracle is approximate"


def test_a_learner_without_lower_bound_proves_nothing() -> None:
    trace = run(CIRCLE, Subgradient(C=10.0, batch="all"), steps=3)
    shown = inspected.frame(CIRCLE, trace, 2)
    assert shown
    assert shown.verdict == "no certificate"


def test_a_broken_bound_is_called_broken() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0), steps=2)
    trace._columns["train_loss"][1] = 99.0
    shown = inspected.frame(CIRCLE, trace, 1)
    assert shown
    assert "✗ broken" in line(shown, "Slack bounds").html


def test_why_the_bounds_moved_is_told_with_numbers() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0))
    primal, dual = trace.column("primal"), trace.column("dual")
    for at in range(1, len(trace)):
        shown = inspected.frame(CIRCLE, trace, at)
        assert shown
        assert f"The dual rose by {dual[at] - dual[at - 1]:.4g}" in shown.moved
        change = primal[at] - primal[at - 1]
        assert f"The primal {'rose' if change > 0 else 'fell'} by {abs(change):.4g}" in shown.moved
        if change > 0:
            assert f"best so far is {primal[: at + 1].min():.4g}" in shown.moved
    first = inspected.frame(CIRCLE, trace, 0)
    assert first
    assert "first step" in first.moved


def test_a_change_of_settings_is_not_a_change_of_bounds() -> None:
    trace = run(CIRCLE, OneSlack(C=10.0), steps=4)
    trace.starts.append((3, replace(trace.starts[0][1], settings={"C": 20.0})))
    shown = inspected.frame(CIRCLE, trace, 3)
    assert shown
    assert "settings changed" in shown.moved


# words ------------------------------------------------------------------------------------------------------


def test_words_carry_their_meaning_once_and_everything_is_escaped() -> None:
    html = mark_terms("The oracle <found> two cuts; the Oracle's cut & C.")
    assert html.count("<abbr") == 3
    assert html.count(GLOSSARY["oracle"]) == 1
    assert "&lt;found&gt;" in html
    assert "&amp;" in html
    assert ">cuts</abbr>" in html
    assert mark_terms("Curious cats") == "Curious cats"


def test_the_glossary_is_complete_on_the_page(session: Session) -> None:
    view = inspector.Inspector(session)
    assert {"cut", "slack", "margin", "dual", "gap", "oracle", "working set", "loss", "C"} <= set(GLOSSARY)
    assert all(f"<dt>{term}</dt>" in view.glossary.object for term in GLOSSARY)
    assert all(letter in SYMBOLS for letter in re.findall(r"class='symbol'[^>]*>(.)<", view.page.object))
    titles = re.findall(r"title='([^']*)'", view.words.object + view.page.object)
    assert len(titles) > 10


def test_formulas_have_superscripts_and_greek_letters(session: Session) -> None:
    page = inspector.Inspector(session).page.object
    assert "<sup>2</sup>" in page
    assert all(letter in page for letter in "ξαΔψ")
    assert "<script" not in page


def test_an_untrained_session_gets_a_friendly_sentence() -> None:
    session = Session(Recipe(task="four-points"))
    view = inspector.Inspector(session, table_open=True)
    assert inspected.frame(session.problem, Trace(), 0) is None
    assert "Nothing trained yet" in plain(view.words.object)
    assert "<h4>" not in view.page.object
    session.close()


def test_a_theme_restyles_the_page(session: Session) -> None:
    view = inspector.Inspector(session)
    view.theme = DARK
    assert DARK.text in view.page.object
    assert DARK.accent in view.page.object
    view.theme = PROJECTOR
    assert f"font-size: {PROJECTOR.font + 1}px" in view.page.object
    assert view.figures == []


def test_a_hidden_view_computes_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    view = inspector.Inspector(session, active=False)

    def forbidden(*args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(inspected, "frame", forbidden)
    session.seek(1)
    session.phase = 2
    view.close()


def test_ten_thousand_steps_are_explained_and_left_alone() -> None:
    rng = np.random.default_rng(0)
    trace = Trace(weight_bytes=2_000, cut_bytes=2_000, state_bytes=2_000)
    trace.append(Started("line", "OneSlack", 4, 2, 0, True, {"C": 4.0, "eps": 0.1}))
    for k in range(10_000):
        detail = {
            "xi": 0.5,
            "violation": 0.7,
            "added": 1,
            "cached": False,
            "alpha": rng.random(3),
            "b": rng.random(3),
        }
        trace.append(
            Step(
                k,
                rng.normal(size=2),
                bounds=Bounds(2.0, 1.0, True),
                detail=detail,
                state={"x": rng.random(2)},
            )
        )
    kept = {name: sorted(getattr(trace, name).kept) for name in ("weights", "cuts", "details", "states")}
    for at in (0, 4_999, 5_000, 9_999):
        shown = inspected.frame(LINE, trace, at)
        assert shown
        assert (shown.at, line(shown, "Gap").value) == (at, 1.0)
        assert "above the current 0.5 by 0.2" in shown.sentence
    assert kept == {name: sorted(getattr(trace, name).kept) for name in kept}
    assert len(trace) == 10_000


def test_the_table_lists_the_numbers_of_the_formulas(session: Session) -> None:
    view = inspector.Inspector(session, table_open=True)
    shown = view.frame()
    assert shown
    columns = inspected.table(shown)
    assert columns["value"] == [one.value for one in shown.lines]
    assert "Gap" in view.data.object
