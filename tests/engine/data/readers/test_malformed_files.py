"""Thousands of malformed files of every format: each is read, or refused in one sentence that says where;
nothing of them is run, nothing else is raised, and none takes long or much memory.
"""

import random
import re
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.engine.catalogue.files import AS_IT_IS, SAMPLES, format_of, sample
from explorer.engine.data.readers.sniffing import sniff
from explorer.engine.refusals import Refused

FILES = (
    "names.conll",
    "weather.csv",
    "kitchen.svmlight",
    "karate.graphml",
    "letters.pairs.csv",
    "animals.conllu",
    "rooms.svmhmm",
    "streets.edges",
    "petals.npz",
    "coast.png",
)
FEW, MANY = 24, 560
"""Files of each format by default and in the slow test, which so has 5,600."""
HOSTILE = (
    *(b"\0", b"\xff\xfe", b"\t", b'"', b"nan", b"1e999", b"99999999999999999999", b"<script>", b"-1", b":"),
    *(b",,,,,,", b"__import__('os').system('true')", b"\n\n\n", b"#", b"qid:", "ſ".encode()),
)
RUNS = ("pickle.find_class", "os.system", "os.exec", "subprocess.Popen", "socket.connect")
PLACE = re.compile(r"line \d|byte \d|row \d|node ['\d]|edge |set '|sentence \d|the label|column")
"""Where in a file a fault is; others are of the file as a whole."""

WHOLE = re.compile(
    r"holds|only|has |is no|is damaged|ends too early|cannot be read|different|begins with|is compressed"
)


def spoil(content: bytes, rng: random.Random) -> bytes:
    """The content with one to three faults."""
    for _ in range(rng.randint(1, 3)):
        content = FAULTS[rng.randrange(len(FAULTS))](content, rng)
    return content


def cut_off(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def put_in(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(HOSTILE) + content[at:]


def flip(content: bytes, rng: random.Random) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def take_out(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[at + rng.randint(1, 9) :]


def shuffle_lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def repeat_cells(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at] = lines[at] * rng.randint(2, 40)
    return b"\n".join(lines)


FAULTS = (cut_off, put_in, flip, take_out, shuffle_lines, repeat_cells)


def malformed(name: str, count: int, folder: Path) -> Iterator[Path]:
    """Files of one format, one of whose parts is spoilt each time."""
    rng = random.Random(name)
    source = sample(Path(SAMPLES) / name)
    known = format_of(name)
    assert known is not None
    parts = {file.name: file.read_bytes() for file in known.files(source)}
    for _ in range(count):
        chosen = rng.choice(sorted(parts))
        for own, content in parts.items():
            (folder / own).write_bytes(spoil(content, rng) if own == chosen else content)
        yield folder / name


def outcome(path: Path) -> str:
    """Why a file is refused; empty where it is read."""
    known = format_of(path.name)
    assert known is not None
    module = known.open()
    try:
        sniff(path.name, path.read_bytes(), known.name)
        module.pair(path, None, AS_IT_IS, module.SETTINGS())
    except Refused as refusal:
        return str(refusal)
    return ""


@pytest.fixture(scope="module")
def runs() -> Iterator[list[str]]:
    """What was run, of the things that a file could make us run."""
    found: list[str] = []
    watching = [True]

    def see(event: str, args: tuple[Any, ...]) -> None:
        if watching and event in RUNS:
            found.append(event)

    sys.addaudithook(see)
    yield found
    watching.clear()


def check(name: str, count: int, folder: Path, runs: list[str]) -> list[float]:
    """The seconds that each file took."""
    took, refused = [], 0
    for path in malformed(name, count, folder):
        begun, before = time.perf_counter(), len(runs)
        said = outcome(path)
        took.append(time.perf_counter() - begun)
        refused += bool(said)
        assert runs[before:] == []
        assert not said or PLACE.search(said) or WHOLE.search(said), said
        assert not said or path.name.partition(".")[0] in said, said
        assert "\n" not in said
        assert len(said) < 600, said
    assert refused > count // 4 or count < FEW
    return took


@pytest.mark.parametrize("name", FILES)
def test_a_malformed_file_is_read_or_refused_in_one_sentence(
    name: str, tmp_path: Path, runs: list[str]
) -> None:
    check(name, FEW, tmp_path, runs)


@pytest.mark.slow
def test_thousands_of_malformed_files_take_neither_time_nor_memory(tmp_path: Path, runs: list[str]) -> None:
    for name in FILES:
        check(name, 1, tmp_path, runs)  # what is loaded with a reader is not the file's doing
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    took = [seconds for name in FILES for seconds in check(name, MANY, tmp_path, runs)]
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert len(took) == len(FILES) * MANY >= 5000
    assert max(took) < 5.0
    assert used < 500e6
