"""Sentences for studies of parsing: a made-up treebank, or German news from the folder that EXPLORER_DATA
names.
"""

import os
from pathlib import Path

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.treebank import read_treebank
from explorer.engine.data.register import register_treebank
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.sentences import treebank

REGISTER, GERMAN = "register", "German news"
CORPORA = (REGISTER, GERMAN)
FILE = Path("ud-de") / "de_gsd-ud-dev.conllu.gz"


def corpus(name: str, n: int, seed: int) -> tuple[Dataset, Dataset]:
    """n sentences for training and as many for testing, or all there are, in two random halves."""
    if name == REGISTER:
        train, test = register_treebank(n, n, seed)
        assert test is not None
        return train, test
    whole = read_treebank(german_file())
    order = np.random.default_rng(seed).permutation(len(whole))[: 2 * n]
    parts = np.array_split(order, 2)
    made = [
        treebank(GERMAN, [whole.inputs[i] for i in part], [whole.labels[i] for i in part]) for part in parts
    ]
    return made[0], made[1]


def german_file() -> Path:
    """The German news inside EXPLORER_DATA, or Refused."""
    named = os.environ.get("EXPLORER_DATA", "")
    if not named or not (Path(named) / FILE).is_file():
        raise Refused(
            f"EXPLORER_DATA names no folder with {FILE}; set it, or choose the corpus {REGISTER!r}, which "
            "is made up"
        )
    return Path(named) / FILE
