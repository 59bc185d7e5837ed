"""GraphML files: what networkx writes is read back, and what does not fit is refused with place and fix."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from explorer.engine.data.readers import graphml
from explorer.engine.data.readers.graphml import graph_data, read_graphml, read_sources
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.problem import FieldLabelling

SAMPLES = Path(__file__).parents[4] / "sample_data"
SPACE = 'xmlns="http://graphml.graphdrawing.org/xmlns"'


def document(inside: str, keys: str = "", space: str = SPACE) -> str:
    """A file with a label and one number at the nodes, and a weight at the edges."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<graphml {space}>
  <key id="a" for="node" attr.name="label" attr.type="string"/>
  <key id="b" for="node" attr.name="size" attr.type="double"/>
  <key id="c" for="edge" attr.name="weight" attr.type="float"><default>0.5</default></key>
  {keys}
  <graph edgedefault="undirected">{inside}</graph>
</graphml>"""


def node(name: str, label: str = "red", size: str = "1") -> str:
    return f'<node id="{name}"><data key="a">{label}</data><data key="b">{size}</data></node>'


TWO = node("n0") + node("n1", "blue", "2.5")
EDGE = '<edge source="n0" target="n1"/>'


def written(folder: Path, text: str | bytes, name: str = "graph.graphml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_what_networkx_writes_is_read_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    source = nx.gnm_random_graph(12, 20, seed=1)
    for v in source:
        source.nodes[v].update(label=["low", "high"][v % 2], height=float(rng.normal()), count=v, tall=v > 5)
    for a, b in source.edges:
        source.edges[a, b]["weight"] = float(rng.normal())
    nx.write_graphml(source, tmp_path / "graph.graphml")
    data = read_graphml(
        tmp_path / "graph.graphml", features=("height", "count", "tall"), edge_features=("weight",)
    )
    made = data.inputs[0]
    assert made.names == tuple(map(str, source))
    assert made.nodes.tolist() == [[d["height"], v, float(v > 5)] for v, d in source.nodes(data=True)]
    assert made.edges.tolist() == [list(pair) for pair in source.edges]
    assert made.edge_features[:, 0].tolist() == [d["weight"] for _, _, d in source.edges(data=True)]
    assert [data.meta["states"][k] for k in data.labels[0]] == [
        d["label"] for _, d in source.nodes(data=True)
    ]


def test_features_are_the_declared_numbers_in_their_order(tmp_path: Path) -> None:
    keys = '<key id="z" for="node" attr.name="age" attr.type="int"><default>7</default></key>'
    data = read_graphml(written(tmp_path, document(TWO + EDGE, keys)))
    assert data.meta["feature_names"] == ("size", "age")
    assert data.inputs[0].nodes.tolist() == [[1.0, 7.0], [2.5, 7.0]]
    assert data.meta["edge_feature_names"] == ("weight",)
    assert data.inputs[0].edge_features.tolist() == [[0.5]]
    plain = read_graphml(written(tmp_path, document(TWO + EDGE, keys)), edge_features=())
    assert plain.inputs[0].edge_features.tolist() == [[1.0]]
    assert data.meta["states"] == ("blue", "red")


def test_declared_defaults_fill_what_is_missing(tmp_path: Path) -> None:
    data = read_graphml(written(tmp_path, document(TWO + EDGE)), edge_features=("weight",))
    assert data.inputs[0].edge_features.tolist() == [[0.5]]


def test_a_file_without_a_name_space_is_read_too(tmp_path: Path) -> None:
    assert len(read_graphml(written(tmp_path, document(TWO, space=""))).inputs[0]) == 2


def test_numbers_as_labels_are_sorted_by_size(tmp_path: Path) -> None:
    inside = node("x", "10") + node("y", "9") + node("z", "-1")
    data = read_graphml(written(tmp_path, document(inside)))
    assert data.meta["states"] == ("-1", "9", "10")
    assert data.labels[0].tolist() == [2, 1, 0]


def test_a_folder_holds_several_graphs_in_the_order_of_their_names(tmp_path: Path) -> None:
    written(tmp_path, document(node("only", "blue")), "b.graphml")
    written(tmp_path, document(TWO + EDGE), "a.graphml")
    written(tmp_path, "no graph", "notes.txt")
    data = read_graphml(tmp_path)
    assert [len(x) for x in data.inputs] == [2, 1]
    assert [y.tolist() for y in data.labels] == [[1, 0], [0]]
    assert [Path(path).name for path in data.meta["files"]] == ["a.graphml", "b.graphml"]
    problem = FieldLabelling(data, GraphMap(2))
    assert (problem.n, problem.dim) == (2, 2 + 4)


def test_files_that_are_read_together_share_their_labels(tmp_path: Path) -> None:
    parts = {
        "first": read_sources(written(tmp_path, document(TWO + EDGE))),
        "second": read_sources(written(tmp_path, document(node("x", "green")), "b.graphml")),
    }
    first, second = graph_data(parts)
    assert first.meta["states"] == second.meta["states"] == ("blue", "green", "red")
    assert (first.labels[0].tolist(), second.labels[0].tolist()) == ([2, 0], [1])


def test_text_at_the_edges_is_refused_with_the_fix(tmp_path: Path) -> None:
    keys = '<key id="k" for="edge" attr.name="kind" attr.type="string"/>'
    path = written(tmp_path, document(TWO + EDGE, keys))
    with pytest.raises(Refused, match=r"the attribute 'kind' of edges as string.*--data edges=size"):
        read_graphml(path)
    assert read_graphml(path, edge_features=("weight",)).meta["edge_feature_names"] == ("weight",)


def test_the_sample_file_is_the_karate_club() -> None:
    data = read_graphml(SAMPLES / "karate.graphml")
    source = nx.karate_club_graph()
    assert data.meta["states"] == ("Mr. Hi", "Officer")
    assert {frozenset(pair) for pair in data.inputs[0].edges.tolist()} == {
        frozenset(pair) for pair in source.edges
    }
    assert [data.meta["states"][k] for k in data.labels[0]] == [source.nodes[v]["club"] for v in source]
    assert data.meta["feature_names"] == ("constant", "friends", "nearness", "circle")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            document(TWO + '<node id="n2"><data key="b">1</data></node>'),
            "node 'n2' has no 'label'; give every node",
        ),
        (document(TWO + node("n2", "red", "big")), "node 'n2' has 'big' as 'size'; give a finite number"),
        (document(TWO + node("n2", "red", "nan")), "node 'n2' has 'nan' as 'size'; give a finite number"),
        (
            document(TWO + '<node id="n2"><data key="a">red</data></node>'),
            "node 'n2' has no 'size'; give every one",
        ),
        (
            document(TWO + '<edge source="n1" target="n1"/>'),
            "edge 0 joins node 'n1' with itself; leave self-loops out",
        ),
        (document(TWO + EDGE + EDGE), "nodes 'n0' and 'n1' are joined more than once; give each edge once"),
        (
            document(TWO + '<edge source="n0" target="n9"/>'),
            "edge 0 names the node 'n9', which is not there; add it",
        ),
        (document(TWO + '<edge source="n0"/>'), "edge 0 names the node None"),
        (document(TWO + node("n1")), "the id 'n1' of node 2 is missing or taken; give each its own id"),
        (document(TWO + "<node/>"), "the id None of node 2 is missing"),
        (
            document('<node id="n0"><data key="q">1</data></node>'),
            "node 'n0' has data for the key 'q'; declare it",
        ),
        (document(""), "has no nodes"),
        (
            document(TWO, '<key id="t" for="node" attr.name="job" attr.type="string"/>'),
            "attribute 'job' of nodes as string, but",
        ),
        (document(TWO, '<key id="t" for="node"/>'), "a key has no id or no attr.name; give every key both"),
        (document(TWO + "<hyperedge/>"), "holds a hyperedge; give one plain graph"),
        (document('<node id="n0"><graph/></node>'), "holds 2 graphs; give one plain graph"),
        ("<graphml/>", "holds 0 graphs"),
        ("<graphml>", r"is no well-formed XML \(no element found"),
        ("label 1", "is no well-formed XML"),
    ],
)
def test_a_graph_that_does_not_fit_is_refused_with_its_place_and_the_fix(
    tmp_path: Path, text: str, said: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(Refused, match=said) as caught:
        read_graphml(path)
    assert str(path) in str(caught.value)


def test_a_graph_without_any_feature_is_refused(tmp_path: Path) -> None:
    text = document('<node id="x"><data key="a">red</data></node>').replace(
        'attr.name="size"', 'attr.name="label"'
    )
    with pytest.raises(
        Refused, match="declares no attribute of nodes besides 'label'; give the nodes numbers"
    ):
        read_graphml(written(tmp_path, text))


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    "text",
    [
        document(TWO).replace("<graphml", BOMB + "<graphml", 1).encode(),
        document(TWO).replace("<graphml", "<!DOCTYPE x><graphml", 1).encode(),
        document(TWO).replace("<graphml", BOMB + "<graphml", 1).encode("utf-16"),
        document(TWO).replace("<graphml", BOMB + "<graphml", 1).encode("utf-16-le"),
        document(TWO).replace("UTF-8", "cp037").replace("<graphml", BOMB + "<graphml", 1).encode("cp037"),
    ],
    ids=["entities", "type alone", "utf-16", "utf-16 without a mark", "ebcdic"],
)
def test_document_types_and_entities_are_refused_in_every_encoding(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(Refused, match=r"remove the declaration|is not UTF-8 text"):
        read_graphml(written(tmp_path, text))


def test_a_file_that_names_another_file_does_not_reach_it(tmp_path: Path) -> None:
    secret = written(tmp_path, "hidden", "secret")
    text = document(TWO.replace("red", "&s;")).replace(
        "<graphml", f'<!DOCTYPE x [<!ENTITY s SYSTEM "{secret}">]><graphml', 1
    )
    with pytest.raises(
        Refused, match="declares a document type, which a graph does not need; remove the declaration"
    ):
        read_graphml(written(tmp_path, text))


def test_size_and_number_of_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, document(TWO))
    with monkeypatch.context() as patch:
        patch.setattr(graphml, "MOST_BYTES", 100)
        with pytest.raises(Refused, match="has more than 0 million bytes; give a part of it"):
            read_graphml(path)
    monkeypatch.setattr(graphml, "MOST_FILES", 1)
    with pytest.raises(Refused, match="there are 2 files; give 1 to 1"):
        read_graphml(path, path)
    with pytest.raises(Refused, match="there are 0 files"):
        read_graphml()


def test_an_empty_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"holds no file \*.graphml; put the graphs there, or name a file"):
        read_graphml(tmp_path)
    with pytest.raises(Refused, match="nowhere is not a file; give a GraphML file"):
        read_graphml(tmp_path / "nowhere")
