"""The sample files that a press brings along, as if they had been dropped."""

from pathlib import Path

from explorer.engine.catalogue.files import SAMPLES as FOLDER
from explorer.engine.catalogue.files import format_of, sample

SAMPLES = {
    "names.conll": "names in sentences",
    "weather.csv": "a table of hours",
    "kitchen.svmlight": "dishes with labels",
    "karate.graphml": "a club of friends",
    "letters.pairs.csv": "letters in groups",
    "animals.conllu": "trees of sentences",
    "rooms.svmhmm": "days of somebody",
    "streets.edges": "streets of towns",
    "petals.npz": "flowers",
    "coast.png": "a coast",
}
"""By file, what it holds in a few words."""


def sample_files(name: str) -> dict[str, bytes]:
    """A sample, with the files that belong to it."""
    path = sample(Path(FOLDER) / name)
    found = format_of(name)
    files = [path] if found is None else found.files(path)
    return {file.name: file.read_bytes() for file in files}


__all__ = ["SAMPLES", "sample_files"]
