"""Words and symbols of the explanations, each with its meaning as a tooltip."""

import re
from collections.abc import Mapping
from html import escape

GLOSSARY: Mapping[str, str] = {
    "oracle": "Finds, for an example and weights w, the wrong labelling that asks for the most slack.",
    "most tempting": "The wrong labelling that asks for the most slack: its loss is large and its margin "
    "small. Its technical name is most violated.",
    "labelling": "One complete answer for an example, for instance a state for every position.",
    "cut": "A wrong labelling, kept as a condition on w: slack is at least its loss minus its margin.",
    "working set": "The cuts found so far. Training solves the problem for these only.",
    "margin": "How much higher w scores the truth than a wrong labelling.",
    "loss": "How wrong a labelling is; 0 for the truth.",
    "slack": "By how much the worst labelling of an example falls short of its margin; never below its loss.",
    "primal": "The objective at this step's weights: an upper bound of the best value possible.",
    "dual": "A lower bound of the best value possible, proved by the cuts found so far.",
    "gap": "Primal minus dual: how far from the best this step can be at most.",
    "certificate": "A proof that does not trust the program: an exact oracle and both bounds.",
    "objective": "What training makes small: half the squared length of w, plus C times the mean slack.",
    "C": "The price of slack: a larger C fits the training data harder.",
    "eps": "The tolerance: a cut counts only when it asks for more slack than this beyond the current slack.",
    "active": "A cut is active when it carries weight alpha: it holds w back.",
    "multiplier": "alpha: how strongly a cut holds w back; 0 when it does not matter.",
    "pass": "One round over all training examples.",
    "update": "One change of w.",
    "step size": "How far one move goes.",
    "block gap": "The part of the gap that one example's labellings still leave open.",
    "risk": "The mean cost of the slacks, as a function of w.",
    "lower model": "The largest of all planes found so far: it lies below the risk everywhere.",
}

SYMBOLS: Mapping[str, str] = {
    "J": "J(w): the objective at these weights.",
    "w": "w: the weights.",
    "C": "C: the price of slack.",
    "ξ": "xi: slack.",
    "Δ": "Delta: loss of a wrong labelling.",
    "ψ": "psi: features of the truth minus features of the wrong labelling.",
    "α": "alpha: the multipliers of the cuts.",
    "a": "a: the features of a cut: psi, averaged where a cut is about all examples.",
    "b": "b: the slack that each cut asks for at w = 0.",
    "ℓ": "l: the mean loss of the mixed labellings, times C.",
    "η": "eta: step size.",
    "R": "R: the risk; for the perceptron, the largest length of psi.",
    "δ": "delta: the widest margin by which a unit vector separates all truths.",
    "ŵ": "The unit vector with the widest margin.",
    "k": "k: number of updates.",
}

TERMS = "|".join(sorted((re.escape(term) for term in GLOSSARY if len(term) > 1), key=len, reverse=True))
WORDS = re.compile(rf"\b((?i:{TERMS})|C)((?:e?s)?)\b")
"""Terms of the glossary, capital or not, and their plurals; C only as it is."""


def sym(letter: str, below: str = "") -> str:
    """A symbol with its meaning as a tooltip."""
    under = f"<sub>{escape(below)}</sub>" if below else ""
    return f"<abbr class='symbol' title='{escape(SYMBOLS[letter], quote=True)}'>{letter}</abbr>{under}"


def mark_terms(text: str) -> str:
    """The text, escaped, each word of the glossary carrying its meaning where it first occurs."""
    seen: set[str] = set()

    def mark(match: re.Match[str]) -> str:
        term = match[1] if match[1] in GLOSSARY else match[1].lower()
        if term in seen:
            return match[0]
        seen.add(term)
        return f"<abbr title='{escape(GLOSSARY[term], quote=True)}'>{match[0]}</abbr>"

    return WORDS.sub(mark, escape(text))


def words_page() -> str:
    """The whole glossary, folded away."""
    rows = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in GLOSSARY.items())
    return f"<details class='glossary'><summary>Words used here</summary><dl>{rows}</dl></details>"
