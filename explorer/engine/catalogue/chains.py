"""Label sequences: their models, losses and tasks."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from explorer.engine.catalogue.task import SHOWN, Pair, Parts, Task
from explorer.engine.contracts import Dataset, Loss, Rule
from explorer.engine.data.blocks import Blocks
from explorer.engine.data.digits import DigitWords
from explorer.engine.data.entities import Names
from explorer.engine.data.hmm import GaussianHMM
from explorer.engine.data.words import Tagging
from explorer.engine.knobs import knob, settings
from explorer.engine.losses import Hamming, ZeroOne
from explorer.engine.refusals import Refused
from explorer.engine.rows import is_sparse, stack
from explorer.engine.structures.chains.emissions import EmissionMap, Pieces, Raw, Squares
from explorer.engine.structures.chains.moves import Moves
from explorer.engine.structures.chains.oracles import ORACLES
from explorer.engine.structures.chains.problem import Chain

LOSSES: Mapping[str, Loss] = {
    "hamming": Hamming(),
    "hamming-normalised": Hamming(normalised=True),
    "zero-one": ZeroOne(),
}
RAW, SQUARES, PIECES = "raw", "squares", "pieces"
FREE, WELL_FORMED = "any tags", "well-formed"
WEIGHTS, NO_WEIGHTS, CLAMPED = "weights", "none", "start and stop"
ENDS = (WEIGHTS, NO_WEIGHTS, CLAMPED)
MOST_COLUMNS = 2000
"""More features than this are words, not numbers, and have no curves."""


@settings
class TextModel:
    """Which tags may follow each other in a prediction, and what is known of the ends."""

    decoding: str = knob(
        FREE, "Predict any tags, or only well-formed entities (B-I-O).", choices=(FREE, WELL_FORMED)
    )
    ends: str = knob(WEIGHTS, "Weights for the first and the last tag, or none.", choices=ENDS[:2])


@settings
class SequenceModel:
    """What is made of the numbers at a position, and what is known of the ends of a sequence."""

    emissions: str = knob(
        RAW,
        "Score the numbers as they are, with their squares, or by piecewise linear curves.",
        choices=(RAW, SQUARES, PIECES),
    )
    nodes: int = knob(20, "Nodes of every curve, at quantiles of the training data.", low=1, high=1000)
    smooth: float = knob(0.0, "Price of squared differences between neighbouring nodes.", low=0.0, high=1e6)
    monotone: bool = knob(False, "Curves of the first state only fall, those of the second only rise.")
    ends: str = knob(
        WEIGHTS,
        "Weights for the first and the last state, none, or both positions given as start and stop state.",
        choices=ENDS,
    )

    def __post_init__(self) -> None:
        if self.emissions != PIECES and (self.smooth or self.monotone):
            raise Refused("only curves are smooth or monotone; take emissions=pieces as well")


TEXT, NUMBERS = TextModel(), SequenceModel()
Models = TextModel | SequenceModel


def made_of(train: Dataset, test: Dataset | None, model: Models) -> Pair:
    """The rows that the model scores; curves have their nodes where the training data say."""
    if isinstance(model, TextModel):
        return train, test
    cut = without_ends if model.ends == CLAMPED else as_it_is
    emissions = emissions_of(cut(train), model)
    return map_rows(cut(train), emissions), None if test is None else map_rows(cut(test), emissions)


def emissions_of(train: Dataset, model: SequenceModel) -> EmissionMap:
    """The map of rows that the model names."""
    width = train.inputs[0].shape[1]
    if model.emissions != RAW and is_sparse(train.inputs[0]) and width > MOST_COLUMNS:
        raise Refused(f"{train.name} has {width:,} sparse features; take emissions=raw for it")
    if model.emissions == PIECES:
        return Pieces.fit(stack(train.inputs), model.nodes, model.smooth)
    return Squares() if model.emissions == SQUARES else Raw()


def as_it_is(data: Dataset) -> Dataset:
    """The same."""
    return data


def without_ends(data: Dataset) -> Dataset:
    """The sequences without their first and last position, which are the start and the stop state."""
    short = next((i for i, y in enumerate(data.labels) if len(y) < 3), None)
    if short is not None:
        raise Refused(f"sequence {short} has {len(data.labels[short])} positions; start and stop need three")
    each = {"words", "flips"} & set(data.meta)
    meta = dict(data.meta) | {name: [own[1:-1] for own in data.meta[name]] for name in each}
    inputs, labels = ([own[1:-1] for own in part] for part in (data.inputs, data.labels))
    return Dataset(data.name, inputs, labels, meta)


def map_rows(data: Dataset, emissions: EmissionMap) -> Dataset:
    """The same sequences with the rows that are scored; what was observed is kept beside them."""
    if emissions.kind == RAW:
        return data
    width = int(data.inputs[0].shape[1])
    observed = data.meta.get("feature_names", [f"x{f + 1}" for f in range(width)])
    meta = {name: value for name, value in data.meta.items() if name != "image_shape"}
    meta |= {"emissions": emissions, "observed": data.inputs, "observed_names": tuple(observed)}
    rows = [emissions.rows(x) for x in data.inputs]
    return replace(data, inputs=rows, meta=meta | {"feature_names": emissions.names(observed)})


def chain(data: Dataset, parts: Parts[Models]) -> Chain:
    """One state for every position."""
    model, states = parts.model, len(data.meta["states"])
    made = Chain(
        data,
        states,
        parts.loss,
        parts.pricing,
        ends=model.ends == WEIGHTS,
        separator=parts.separator,
        predictor=parts.predictor,
        emissions=data.meta.get("emissions", Raw()),
    )
    if isinstance(model, TextModel):
        names = tuple(data.meta["states"])
        return replace(made, moves=None if model.decoding == FREE else Moves.well_formed(names))
    return replace(made, rules=monotone_rules(made)) if model.monotone else made


def monotone_rules(problem: Chain) -> tuple[Rule, ...]:
    """Curves fall in state 0 and rise in state 1."""
    pieces = problem.emissions
    if problem.states != 2 or not isinstance(pieces, Pieces):
        raise Refused(f"monotone is about curves of two states; {problem.dataset.name} has {problem.states}")
    slopes = (a for k in (0, 1) for a in pieces.slopes(2, problem.dim, k, rising=k == 1))
    return tuple(Rule(a, 0.0, group=g) for g, a in enumerate(slopes))


sequences = partial(Task, losses=LOSSES, oracle_types=ORACLES, build=chain, prepare=made_of, model=TEXT)
series = partial(Task, losses=LOSSES, oracle_types=ORACLES, build=chain, prepare=made_of, model=NUMBERS)

TASKS = (
    sequences("digit-words", "Digits as words", DigitWords, "sequential-dual", {**SHOWN, "C": 20.0}),
    series("blocks", "Blocks with distortion", Blocks, "one-slack", {"C": 20.0}),
    series("gaussian-hmm", "Gaussian hidden Markov", GaussianHMM, "one-slack", {"C": 10.0, "eps": 1e-6}),
    sequences("tagging", "Sparse tagging", Tagging, "sequential-dual", {**SHOWN, "C": 10.0}),
    sequences("names", "Names in sentences", Names, "sequential-dual", {**SHOWN, "C": 10.0}),
)
