"""Dependency trees of sentences: a head for every word.

    score(x, y) = sum over edges (h, d) of y of the weight of their hash,  weights shared by alike sentences

The problems are those of `structures.trees` (Pfahler 2015): an edge is described by the tags of both ends and
their distance (its hash), sentences are compared by an input kernel. With kernel="none" there is one weight
for each hash; with another kernel the weights are a sum over training sentences, so these belong to the
model, as support vectors do. The best tree is found by the algorithm of Chu, Liu and Edmonds. Cost of a pass:
all possible edges of all sentences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.catalogue.task import Parts
from explorer.engine.catalogue.trees import DUAL, INPUT_KERNELS, LOSSES, WRITTEN_OUT, TreeModel, dependency
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import Atom, Atoms
from explorer.engine.structures.trees.layout import laid_out
from explorer.engine.structures.trees.oracles import TREE_ORACLES, Tables, TreeOracle, stack_tables
from explorer.engine.structures.trees.problem import DependencyTrees, Space
from explorer.engine.structures.trees.sentences import Sentence, sentence
from explorer.engine.vectors import Array, Ints
from explorer.estimators.fitting import pricing_of
from explorer.estimators.frames import table
from explorer.estimators.metrics import attachment_score
from explorer.estimators.models import arrays_of, texts_from, texts_tree
from explorer.estimators.ranking import Allowed, k_best, with_price
from explorer.estimators.structured import StructuredEstimator
from explorer.estimators.tree_marginals import edge_marginals

NONE = "none"
EDMONDS = "Chu-Liu/Edmonds"
LAYERS = ("words", "lemmas", "tags", "fine")


@dataclass(eq=False, repr=False, kw_only=True)
class DependencyParser(StructuredEstimator):
    """One tree of heads for every sentence.

    X is a list of sentences; a sentence is a list of (word, tag) pairs, a list of dicts with `word`, `tag`
    and maybe `lemma` and `fine_tag`, or a `Sentence` of the engine. y is a list of lists of heads: the number
    of each word's head, counted from 1, or 0 for the root.

    Parameters
    ----------
    {prices}
    kernel : how sentences are compared: "bag of words", "polynomial", "subsequences", or "none" (all alike).
    layer : what is compared of both ends of an edge: "words", "lemmas", "tags" or "fine tags".
    distance : what is compared of an edge's direction and length: "none", "direction", "bucketed" or "exact".
    word_pairs : compare the words of both ends too.
    buckets : hash edges into this many buckets; 0 keeps all kinds of edges apart.
    loss : "attachment-error" (the share of wrong heads) or "wrong-heads" (their number).
    oracle, predictor : who finds the most violated tree in training and the best one afterwards.
    {shared}

    A kernel needs learner="auto" or "one-slack", and its training sentences (not their trees) are part of a
    saved model; partial_fit and weights of sentences need kernel="none".

    Attributes
    ----------
    weights_, sentences_ (with a kernel), certificate_, trace_, n_iter_
    """

    kernel: str = "bag of words"
    layer: str = "tags"
    distance: str = "bucketed"
    word_pairs: bool = False
    buckets: int = 0
    loss: str = "attachment-error"
    oracle: str = EDMONDS
    predictor: str = EDMONDS

    def _problem_for(
        self, X: Any, y: Any, classes: Any = None, keep: bool = False
    ) -> DependencyTrees | KernelTrees:
        inputs = sentences_of(X)
        if not inputs:
            raise Refused("there are no sentences; give at least one")
        problem = self._problem(inputs, [np.asarray(heads) for heads in y])
        if keep and self._atoms is not None and isinstance(problem, DependencyTrees):
            assert problem.space is not None
            return replace(problem, space=Space(self._atoms, problem.space.inputs))
        self._keep(problem)
        return problem

    def _problem(self, inputs: Sequence[Sentence], labels: Sequence[Any]) -> DependencyTrees | KernelTrees:
        for name, known in (("loss", LOSSES), ("kernel", INPUT_KERNELS)):
            if getattr(self, name) not in known:
                raise Refused(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(known)}")
        form = WRITTEN_OUT if self.kernel == NONE else DUAL
        model = TreeModel(
            self.kernel, self.layer, self.distance, bool(self.word_pairs), int(self.buckets), form
        )
        oracles = oracle_named(self.oracle, TREE_ORACLES), oracle_named(self.predictor, TREE_ORACLES)
        data = Dataset("sentences", tuple(inputs), tuple(labels))
        return dependency(data, Parts(LOSSES[self.loss], pricing_of(self), *oracles, model))

    def _keep(self, problem: DependencyTrees | KernelTrees) -> None:
        """What prediction needs: the numbers of the hashes, or the problem on its training sentences."""
        if isinstance(problem, KernelTrees):
            self.sentences_: tuple[Sentence, ...] = problem.dataset.inputs
            self._basis: KernelTrees | None = problem
            self._atoms: Atoms | None = None
        else:
            assert problem.space is not None
            self.sentences_, self._basis, self._atoms = (), None, problem.space.atoms

    def _tables(self, inputs: Sequence[Sentence]) -> Tables:
        """The scores of all possible edges."""
        anything = [np.zeros(len(x), dtype=np.int64) for x in inputs]
        if self._basis is not None:
            return self._basis.on(Dataset("asked", tuple(inputs), tuple(anything))).tables(
                self.weights_, 0, len(inputs)
            )
        atoms = self._atoms
        assert atoms is not None
        return laid_out([atoms.of(x) for x in inputs], anything).tables(self.weights_)

    def predict(self, X: Any) -> list[Ints]:
        """The heads of every sentence; 0 is the root. Words and tags not seen in training weigh nothing."""
        check_is_fitted(self, "weights_")
        inputs = sentences_of(X)
        if not inputs:
            return []
        tables = self._tables(inputs)
        return np.split(oracle_named(self.predictor, TREE_ORACLES).best(tables), tables.places[1:-1])

    def decision_function(self, X: Any) -> list[Array]:
        """The score of every possible edge, as (m + 1, m) arrays: row h, column d - 1 is the edge from h to
        d.
        """
        check_is_fitted(self, "weights_")
        tables = self._tables(sentences_of(X))
        return [np.array(tables.one(i)) for i in range(tables.count)]

    def predict_k_best(self, X: Any, k: int) -> list[list[tuple[Ints, float]]]:
        """For every sentence at most k trees with their scores, best first: exact where the predictor is."""
        oracle = oracle_named(self.predictor, TREE_ORACLES)
        return [_best_trees(table, oracle, k) for table in self.decision_function(X)]

    def predict_marginals(self, X: Any) -> list[Array]:
        """The share of the trees with each edge under p(y) = exp(score(y)) / Z, laid out as the scores are,
        by the matrix-tree theorem. Learners here do not fit these.
        """
        return [edge_marginals(table) for table in self.decision_function(X)]

    def score(self, X: Any, y: Any) -> float:
        """The share of words with the right head (unlabelled attachment score)."""
        return attachment_score(y, [heads.tolist() for heads in self.predict(X)])

    def weight_tables(self) -> list[dict[str, Any]]:
        """All weights: kind (edge), feature (the hash in words), label (none), weight."""
        check_is_fitted(self, "weights_")
        if self._atoms is None:
            raise Refused(
                "with a kernel there are coefficients of sentences, not weights; set kernel='none' for a "
                "frame"
            )
        return [table("edge", self._atoms.names, [""], self.weights_)]

    def _model(self) -> dict[str, Any]:
        """What a model file holds beside the parameters."""
        model: dict[str, Any] = {"weights": self.weights_}
        if self._atoms is not None:
            known = list(self._atoms.known)
            numbers = np.array([(f, far, head is None) for f, head, _, far in known], dtype=np.int64)
            heads, dependents = (texts_tree([str(atom[end] or "") for atom in known]) for end in (1, 2))
            return model | {"numbers": numbers.reshape(-1, 3), "heads": heads, "dependents": dependents}
        flat = {name: [text for x in self.sentences_ for text in getattr(x, name)] for name in LAYERS}
        lengths = np.array([len(x) for x in self.sentences_], dtype=np.int64)
        return model | {"lengths": lengths} | {name: texts_tree(texts) for name, texts in flat.items()}

    def _restore(self, model: Mapping[str, Any]) -> None:
        if self.kernel == NONE:
            self._restore_atoms(model)
        else:
            self._restore_sentences(model)

    def _restore_atoms(self, model: Mapping[str, Any]) -> None:
        heads, dependents = texts_from(model["heads"]), texts_from(model["dependents"])
        numbers = model["numbers"]
        if numbers.dtype != np.int64 or numbers.shape != (len(heads), 3) or len(dependents) != len(heads):
            raise Refused("this model has edges that do not fit each other; open a saved model")
        found: dict[Atom, int] = {
            (f, None if root else h, d, far): at
            for at, ((f, far, root), h, d) in enumerate(zip(numbers.tolist(), heads, dependents, strict=True))
        }
        hashes = self._problem([sentence(["a"], ["a"])], [np.zeros(1, np.int64)]).hashes
        self._atoms, self._basis, self.sentences_ = Atoms(hashes, int(self.buckets), found), None, ()
        (self.weights_,) = arrays_of(model, weights=(self._atoms.size,))

    def _restore_sentences(self, model: Mapping[str, Any]) -> None:
        lengths, layers = model["lengths"], [texts_from(model[name]) for name in LAYERS]
        ends = np.cumsum(lengths)
        fits = lengths.dtype == np.int64 and lengths.ndim == 1 and len(lengths) and lengths.min() > 0
        if not fits or any(len(texts) != int(ends[-1]) for texts in layers):
            raise Refused("this model has sentences that do not fit each other; open a saved model")
        cuts = [slice(int(b - m), int(b)) for m, b in zip(lengths, ends, strict=True)]
        made = [Sentence(*(tuple(texts[cut]) for texts in layers)) for cut in cuts]
        problem = self._problem(made, [np.zeros(len(x), dtype=np.int64) for x in made])
        self._keep(problem)
        (self.weights_,) = arrays_of(model, weights=(problem.dim,))


def _best_trees(table: Array, oracle: TreeOracle, k: int) -> list[tuple[Ints, float]]:
    """The k best trees of one table of edges."""
    m, words = table.shape[1], np.arange(table.shape[1])
    most = m * float(np.ptp(table))

    def solve(allowed: Allowed) -> tuple[Ints, float]:
        heads = oracle.best(stack_tables([with_price(table, allowed.T, most)]))
        return heads, float(table[heads, words].sum())

    return k_best(solve, m, m + 1, k)


def sentences_of(X: Any) -> list[Sentence]:
    """Sentences in any of the forms in which they may be given."""
    if isinstance(X, str | Sentence | Mapping) or not hasattr(X, "__len__"):
        raise Refused(f"X is a {type(X).__name__}; give a list of sentences")
    return [_sentence(x, i) for i, x in enumerate(X)]


def _sentence(x: Any, i: int) -> Sentence:
    if isinstance(x, Sentence):
        return x
    try:
        if x and all(isinstance(token, Mapping) for token in x):
            layers = {"lemmas": "lemma", "fine": "fine_tag"}
            more = {to: [token[name] for token in x] for to, name in layers.items() if name in x[0]}
            return sentence([token["word"] for token in x], [token["tag"] for token in x], **more)
        words, tags = zip(*x, strict=True)
        return sentence(words, tags)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(
            f"sentence {i} is no list of (word, tag) pairs, nor of dicts with word and tag; give one"
        ) from None


__all__ = ["DependencyParser"]
