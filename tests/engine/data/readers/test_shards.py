"""Sentences on disk: what is read back, and what is learned from it."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from explorer.bench.works.streamed import make_shards
from explorer.engine.contracts import Dataset
from explorer.engine.data.shards import PARTS, SentenceShard, open_shards, write_shards
from explorer.engine.learners.sequential_dual import SequentialDual
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.chains.problem import Chain

TAGS = ("a", "b", "c")


def in_memory(shards: list[SentenceShard]) -> Dataset:
    inputs, labels = [], []
    for shard in shards:
        ends = np.concatenate([[0], np.cumsum(shard.lengths)])
        for a, b in pairwise(ends):
            inputs.append(shard.rows[a:b])
            labels.append(shard.labels[a:b])
    return Dataset("text", inputs, labels, {"states": TAGS})


def run(problem: Chain) -> Trace:
    trace = Trace()
    for event in train(problem, SequentialDual(C=2.0), rule=Until(relative_gap=1e-4, passes=60)):
        trace.append(event)
    return trace


def test_what_is_learned_from_disk_is_what_is_learned_from_memory(tmp_path: Path) -> None:
    shards = list(make_shards(60, 25, 200, 3))
    assert write_shards(tmp_path / "corpus", iter(shards), TAGS) == 60
    disk, memory = Chain(open_shards(tmp_path / "corpus"), 3), Chain(in_memory(shards), 3)
    for i in (0, 24, 25, 59):
        assert np.array_equal(disk.dataset.labels[i], memory.dataset.labels[i])
        assert np.array_equal(disk.dataset.inputs[i].toarray(), memory.dataset.inputs[i].toarray())
    one, other = run(disk), run(memory)
    assert len(one) == len(other) > 1
    assert one.at(-1).w.tobytes() == other.at(-1).w.tobytes()


def test_the_rows_of_a_problem_are_the_mapped_ones(tmp_path: Path) -> None:
    write_shards(tmp_path / "corpus", make_shards(20, 10, 100, 3), TAGS)
    problem = Chain(open_shards(tmp_path / "corpus"), 3)
    base = problem.rows.data
    while not isinstance(base, np.memmap) and base.base is not None:
        base = base.base
    assert isinstance(base, np.memmap)
    assert np.shares_memory(problem.corpus.value, problem.rows.data)


@pytest.mark.parametrize("name", PARTS)
def test_a_folder_that_is_not_whole_is_refused(name: str, tmp_path: Path) -> None:
    write_shards(tmp_path / "corpus", make_shards(20, 10, 100, 3), TAGS)
    place = tmp_path / "corpus" / f"{name}.{PARTS[name][1:]}"
    whole = place.read_bytes()
    for broken in (whole[:-3], whole[:-8], b""):
        place.write_bytes(broken)
        with pytest.raises(Refused, match=r"write (it|the shards) again"):
            open_shards(tmp_path / "corpus")


def test_what_does_not_fit_is_refused_with_its_shard(tmp_path: Path) -> None:
    good, other = make_shards(20, 10, 100, 3)
    wrong = {
        "shard 1 has 99 features": good._replace(rows=good.rows[:, :99]),
        "shard 1 has a label outside 0 to 2": good._replace(labels=good.labels + 3),
        "give one row and one label for each word": good._replace(lengths=good.lengths + 1),
    }
    for at, (told, shard) in enumerate(wrong.items()):
        with pytest.raises(Refused, match=told):
            write_shards(tmp_path / str(at), [other, shard], TAGS)
    with pytest.raises(Refused, match="is not empty"):
        write_shards(tmp_path, [other], TAGS)
    with pytest.raises(Refused, match="holds no shards"):
        open_shards(tmp_path)
