"""Labels written into files: read again they are the same, and nothing else has changed; random files."""

from pathlib import Path

import numpy as np
import pytest

from explorer.engine.data.readers.conll import read_sentences
from explorer.engine.data.readers.graphml import node_labels, read_source
from explorer.engine.data.readers.svmlight import parse_lines
from explorer.engine.data.readers.treebank import read_parsed
from explorer.engine.data.writers.columns import with_tags
from explorer.engine.data.writers.graphml import with_node_labels
from explorer.engine.data.writers.svmlight import with_labels
from explorer.engine.data.writers.treebank import with_heads
from explorer.engine.refusals import Refused

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_tags_are_read_again(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    blank, end = [" ", "\t", "  "][seed % 3], ["\n", "\r\n"][seed % 2]
    sizes, lines = rng.integers(1, 5, size=4), []
    for size in sizes:
        lines += [f"w{rng.integers(9)}{blank}P{blank}O{' ' * int(rng.integers(2))}" for _ in range(size)]
        lines += [""] * int(rng.integers(1, 3)) + ["-DOCSTART- -X- O"] * int(rng.integers(2))
    text = end.join(lines)
    tags = [[f"T{rng.integers(4)}" for _ in range(size)] for size in sizes]
    found = with_tags(text, tags, add=False)
    (tmp_path / "a.conll").write_text(found, newline="")
    again = read_sentences(tmp_path / "a.conll")
    assert [list(one.tags) for one in again] == tags
    blanks = [["O"] * len(own) for own in tags]
    assert with_tags(found, blanks, add=False) == text, "only the tags have changed"
    (tmp_path / "b.conll").write_text(with_tags(text, tags, add=True), newline="")
    assert [list(one.tags) for one in read_sentences(tmp_path / "b.conll")] == tags


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_of_rows_are_read_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines = []
    for k in range(8):
        on = ",".join(map(str, np.flatnonzero(rng.random(4) < 0.4)))
        pairs = " ".join(f"{at}:{rng.normal():.3g}" for at in np.flatnonzero(rng.random(5) < 0.5) + 1)
        lines += [f"{on} {pairs} # row {k}" if pairs or on else f"1:0 # row {k}", "", "# aside"]
    text = "\r\n".join(lines)
    given = parse_lines(text)
    labels = [tuple(np.flatnonzero(rng.random(4) < 0.4).tolist()) for _ in range(8)]
    again = parse_lines(with_labels(text, labels))
    assert (again.labels, again.names) == (labels, given.names)
    wide = min(given.rows.shape[1], again.rows.shape[1])
    assert np.array_equal(again.rows.toarray()[:, :wide], given.rows.toarray()[:, :wide])
    assert np.abs(again.rows.toarray()[:, wide:]).sum() == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_heads_are_read_again_and_comments_and_multiword_tokens_stay(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    lines, heads = [], []
    for _ in range(3):
        m = int(rng.integers(1, 5))
        lines += ["# a comment\twith\ttabs", *(["1-2\tab" + 8 * "\t_"] if m > 1 else [])]
        lines += [f"{t + 1}\tw\t_\tN\t_\t_\t_\tdep\t_\tx=y" for t in range(m)] + [""]
        heads.append([0, *rng.integers(1, 2, size=m - 1).tolist()])
    text = "\n".join(lines)
    place = tmp_path / "a.conllu"
    place.write_text(with_heads(text, heads))
    assert read_parsed(place)[1] == heads
    kept = [line for line in place.read_text().splitlines() if line.startswith(("#", "1-2"))]
    assert kept == [line for line in lines if line.startswith(("#", "1-2"))]


NODES = (
    '<node id="n{}"><data key="a">old</data><data key="b">1</data></node>',
    "<node id='n{}'>\n<data key='b'>2</data>\n</node>",
    '<node id="n{}" note="a > b"/>',
    '<node id="n{}"><data key="b">3</data><data  key="a"/></node>',
    '<node id="n{}"><data key="a" kind="x>y"><![CDATA[o<d]]></data></node>',
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("declares", [True, False])
def test_labels_of_nodes_are_read_again_and_all_else_stays(seed: int, declares: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    kinds = NODES if declares else NODES[1:3]
    key = '<key id="a" for="node" attr.name="label" attr.type="string"/>' if declares else ""
    nodes = "\n ".join(kinds[rng.integers(len(kinds))].format(k) for k in range(6))
    text = (
        f'<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"> <!-- ä -->{key}'
        f'<key id="b" for="node" attr.name="size" attr.type="int"><default>0</default></key>'
        f'<graph edgedefault="undirected">{nodes}<edge source="n0" target="n1"/></graph></graphml>'
    )
    labels = [["red", "a<b & c", "ö"][rng.integers(3)] for _ in range(6)]
    found = with_node_labels(text.encode(), "label", labels)
    (tmp_path / "g.graphml").write_bytes(found)
    again = read_source(tmp_path / "g.graphml")
    assert node_labels(again, "label") == labels
    (tmp_path / "g.graphml").write_bytes(text.encode())
    given = read_source(tmp_path / "g.graphml")
    assert [data["size"] for data in again.nodes.values()] == [d["size"] for d in given.nodes.values()]
    assert again.edges == given.edges
    assert with_node_labels(found, "label", labels) == found
    with pytest.raises(Refused, match="there are 6 nodes and 5 labels"):
        with_node_labels(found, "label", labels[:5])
