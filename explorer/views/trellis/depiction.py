"""How sequences are shown: states by name, weights of emissions, transitions and ends."""

from dataclasses import replace

from explorer.engine.structures.chains.problem import Chain
from explorer.views.kit.depiction import Depiction, no_thumbnail, plain_weights
from explorer.views.kit.words.label_words import shorten, state_names
from explorer.views.kit.words.weight_names import WeightGroup, feature_names
from explorer.views.trellis.portrait import chain_portrait
from explorer.views.trellis.thumbnail import chain_thumbnail
from explorer.wording import quantity

ENDS = {"start": "begins with {col}", "stop": "ends with {col}"}


def chain_states(problem: Chain) -> tuple[str, ...]:
    """What the states are called."""
    return state_names(problem.dataset, problem.states)


def chain_input(problem: Chain, example: int) -> str:
    """The words of a sentence; else how many images or rows of features there are."""
    meta, x = problem.dataset.meta, problem.dataset.inputs[example]
    if example < len(meta.get("words", ())):
        return shorten(" ".join(map(str, meta["words"][example])))
    if "image_shape" in meta:
        return quantity(x.shape[0], "image")
    return f"{quantity(x.shape[1], 'feature')} over {quantity(x.shape[0], 'position')}"


def chain_weights(problem: Chain) -> tuple[WeightGroup, ...]:
    """Features for each state, states after each other, and first and last states where they have weights."""
    return tuple(_group(problem, name, where) for name, where in problem.groups.items())


def _group(problem: Chain, name: str, where: slice) -> WeightGroup:
    state, K, size = chain_states(problem).__getitem__, problem.states, where.stop - where.start
    if name in ENDS:
        return WeightGroup(name, where.start, 1, size, ENDS[name], str, state)
    if name == "transitions":
        return WeightGroup(name, where.start, K, K, "after {row} comes {col}", state, state)
    named = feature_names(problem.dataset, size // K)
    return WeightGroup(name, where.start, size // K, K, "{row} for {col}", named, state)


CHAINS = Depiction(
    part=lambda problem: "position",
    verb="reads",
    states=chain_states,
    input_text=chain_input,
    weights=chain_weights,
    thumbnail=chain_thumbnail,
    portrait=chain_portrait,
)

CHAINS_IN_THREES = replace(CHAINS, weights=plain_weights, thumbnail=no_thumbnail)
"""Chains of second order: their weights are of three states in a row, and their trellis is one of pairs."""

__all__ = ["CHAINS", "CHAINS_IN_THREES"]
