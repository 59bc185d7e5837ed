"""A tagger of more text than one would hold in memory: 200,000 made-up sentences, 1,000,000 features, 9
tags, on disk in shards. Bar: below 4 GB.
"""

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from explorer.bench import ours
from explorer.bench.work import Record, Verdict, Work, without_score
from explorer.engine.contracts import Dataset
from explorer.engine.data.shards import SentenceShard, open_shards, write_shards
from explorer.engine.learners import SequentialDual
from explorer.engine.objective import from_sum
from explorer.engine.structures.chains.problem import Chain

SENTENCES, PER_SHARD, FEATURES, TAGS = 200_000, 10_000, 1_000_000, 9
C_SUM, OURS, MOST = 0.01, "sequential dual, 5%", 4096.0


def make_shards(
    sentences: int, per_shard: int, features: int, tags: int, seed: int = 0
) -> Iterator[SentenceShard]:
    """Words by Zipf's law, most of which have a tag of their own; seven features of each word and its
    neighbours.
    """
    rng, half = np.random.default_rng(seed), features // 2
    own = rng.integers(0, tags, half)
    for lo in range(0, sentences, per_shard):
        lengths = rng.integers(10, 31, min(per_shard, sentences - lo))
        words = np.minimum((half ** rng.random(int(lengths.sum()))).astype(np.int64), half - 1)
        noisy = rng.random(len(words)) < 0.1
        labels = np.where(noisy, rng.integers(0, tags, len(words)), own[words])
        near = (words, np.roll(words, 1), np.roll(words, -1), words // 50, words % 1000, words % 7, 0 * words)
        columns = np.stack(
            [near[0], *(half + (word * 7919 + kind * 104_729) % half for kind, word in enumerate(near[1:]))],
            axis=1,
        )
        starts = np.arange(0, columns.size + 1, columns.shape[1])
        rows = csr_array((np.ones(columns.size), columns.ravel(), starts), shape=(len(words), features))
        yield SentenceShard(rows, lengths, labels)


def load(folder: Path | None) -> Dataset:
    """Made up, and written to a temporary folder."""
    home = tempfile.mkdtemp(prefix="explorer-streamed-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    place = Path(home) / "corpus"
    write_shards(place, make_shards(SENTENCES, PER_SHARD, FEATURES, TAGS), [str(k) for k in range(TAGS)])
    return open_shards(place)


def few(data: Dataset) -> Dataset:
    """The first sentences."""
    return Dataset(data.name, data.inputs[:20], data.labels[:20], data.meta)


def build(data: Dataset) -> Chain:
    """Our problem."""
    return Chain(data, TAGS)


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Memory, mapped pages included."""
    found = summary.get(OURS, {}).get("memory")
    return [] if found is None else [Verdict(f"at most {MOST:.0f} MB", f"{found:.0f} MB", found <= MOST)]


WORK = Work(
    "streamed",
    "200,000 sentences on disk, 1,000,000 features, 9 tags, to a gap of 5%, within 4 GB",
    load,
    {OURS: ours.contestant(build, few, lambda n: SequentialDual(from_sum(C_SUM, n)), 0.05)},
    without_score,
    judge,
    repeats=1,
)
