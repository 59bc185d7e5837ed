"""What compiled code and readers cost: as ratios, or in units of about ten milliseconds."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from explorer.engine.data.readers.treebank import read_treebank, treebank
from explorer.engine.data.register import register_treebank
from explorer.engine.data.words import sparse_tagging
from explorer.engine.structures.fields.kernels.flow_network import connect, network
from explorer.engine.structures.fields.kernels.max_flow import max_flow
from explorer.engine.structures.fields.oracles import KnownApproximation
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.studies import InferenceTime
from explorer.studies.fields.inference_time import CUT, PROGRAM
from explorer.studies.support.rows import value
from explorer.studies.support.study import HELD
from tests import brute
from tests.engine.runs.test_saved import forged, refused, with_member
from tests.engine.structures.chains.kernels.test_viterbi import decode
from tests.engine.structures.fields.oracles.test_known_approximation import complete, sharing
from tests.engine.structures.trees.test_dual_problem import both_ways
from tests.speed.measure import many, ratio, units

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}, reason="the speed of compiled code"
)


def test_a_chain_of_100_000_positions_takes_time_in_proportion() -> None:
    chain = brute.random_chain(np.random.default_rng(15), 100_000, 26)
    short = chain._replace(unary=chain.unary[:10_000])
    assert ratio(lambda: decode(chain), many(lambda: decode(short), 10)) < 2.0
    assert units(lambda: decode(chain)) < 60.0


def test_a_flow_through_a_grid_is_a_thousand_times_as_fast_as_that_of_networkx() -> None:
    # Identity unaries with unit noise on 8 x 8 patches, Potts 0.6; a compiled peer takes 1.1 ms.
    rng, n = np.random.default_rng(6), 48 * 48
    number = np.arange(n).reshape(48, 48)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    ends = np.concatenate([across, np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)])
    truth = np.kron(rng.integers(0, 2, (6, 6)), np.ones((8, 8))).ravel()
    terminal = 1.0 - 2.0 * truth + rng.normal(size=n) - rng.normal(size=n)
    net, arc = network(n, 2 * len(ends)), np.empty(len(ends), np.int32)

    def ours() -> None:
        connect(net, n, ends, arc)
        net.arcs["residual"] = 0.3
        net.nodes["terminal"][:n] = terminal
        max_flow(net, n, 1e-13)

    graph = nx.DiGraph()
    graph.add_weighted_edges_from(((a, b, 0.3) for a, b in [*ends, *ends[:, ::-1]]), "capacity")
    graph.add_weighted_edges_from((("s", a, c) for a, c in enumerate(terminal) if c > 0.0), "capacity")
    graph.add_weighted_edges_from(((a, "t", -c) for a, c in enumerate(terminal) if c < 0.0), "capacity")
    assert ratio(lambda: nx.maximum_flow_value(graph, "s", "t"), many(ours, 20), 2) > 1000 / 20


def test_a_thousand_fields_of_ten_labels_take_fifty_units_at_most() -> None:
    fields = sharing(complete(1000, 10), 45)
    assert units(lambda: KnownApproximation().solve(fields)) < 50.0


def test_a_quarter_of_a_million_features_take_a_thousand_units_at_most() -> None:
    assert units(lambda: sparse_tagging(n=500, n_test=100, vocabulary=125_000, tags=45), 2) < 1000.0


@pytest.mark.spec("F24")
def test_at_400_sentences_the_index_is_fifty_times_faster_than_pairs_of_symbols() -> None:
    naive, indexed, _ = both_ways(register_treebank(400)[0], (EdgeHash("words", "bucketed"),))
    assert ratio(naive, many(indexed, 10), 3) >= 50.0 / 10


@pytest.mark.spec("F24")
def test_so_it_is_on_400_german_sentences_with_fine_tags_and_distances(data_dir: Path) -> None:
    whole = read_treebank(data_dir / "ud-de" / "de_gsd-ud-dev.conllu.gz")
    data = treebank("400", whole.inputs[:400], whole.labels[:400])
    naive, indexed, _ = both_ways(data, (EdgeHash("fine tags", "bucketed"),))
    assert ratio(naive, many(indexed, 10), 3) >= 50.0 / 10


@pytest.mark.spec("D18")
def test_at_thirty_nodes_the_linear_program_takes_ten_times_as_long_as_the_cut() -> None:
    study = InferenceTime(sizes=1, smallest=30, batch=20, few=1, repeats=2)
    rows = list(study.rows())
    for kind in study.kinds:
        program, cut = (value(rows, "microseconds", kind=kind, method=m) for m in (PROGRAM, CUT))
        assert program >= 10.0 * cut
    assert [study.findings(rows)[at].verdict for at in (0, 4)] == [HELD, HELD]


@pytest.mark.parametrize(
    "content",
    [
        lambda: with_member("kept.json", b" " * 40_000_000),
        lambda: with_member("arrays/float64.npy", b"\x00" * 40_000_000),
        lambda: forged({f"arrays/{k}.npy": b"" for k in range(100_000)}, zipfile.ZIP_STORED),
    ],
    ids=["text", "array", "members"],
)
def test_a_file_that_unpacks_to_too_much_is_refused_in_fifty_units(content: Any) -> None:
    made = content()
    assert units(lambda: refused(made), 2) < 50.0


def test_importing_the_explorer_takes_fifty_units_at_most() -> None:
    code = "import time\na = time.process_time()\nimport explorer\nb = time.process_time()\n"
    code += "from tests.speed.measure import loop\nloop()\nc = time.process_time()\n"
    code += "loop()\nd = time.process_time()\n"
    code += "print((b - a) / min(c - b, d - c))"
    taken = [float(subprocess.check_output([sys.executable, "-c", code], text=True)) for _ in range(3)]
    assert min(taken) < 50.0
