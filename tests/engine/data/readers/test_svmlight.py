"""Multi-label lines: what is read, beside scikit-learn's reader, and what is refused by line."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from explorer.engine.data.readers import svmlight
from explorer.engine.data.readers.svmlight import parse_multilabel, read_multilabel
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.label_map import LabelMap
from explorer.engine.structures.fields.problem import FieldLabelling

SAMPLES = Path(__file__).parents[4] / "sample_data"
TEXT = "# two labels\n1,3 2:0.5 4:-1e2 # first\n\n 1:1\n3 # nothing but a label\n1 1:0.25 3:0\r\n"


def test_labels_pairs_and_comments_are_read() -> None:
    data = parse_multilabel(TEXT)
    assert data.meta["label_names"] == ("1", "3")
    assert data.meta["example_names"] == ("first", "", "nothing but a label", "")
    assert data.labels.tolist() == [[1, 1], [0, 0], [0, 1], [1, 0]]
    assert data.inputs.toarray().tolist() == [[0, 0.5, 0, -100], [1, 0, 0, 0], [0, 0, 0, 0], [0.25, 0, 0, 0]]
    assert data.inputs.nnz == 4, "zeros that are written are not stored"


def test_it_reads_what_scikit_learn_reads(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(40):
        on = ",".join(map(str, np.flatnonzero(rng.random(5) < 0.4)))
        at = np.flatnonzero(rng.random(30) < 0.3) + 1
        lines.append(f"{on or '4'} " + " ".join(f"{k}:{rng.normal():.17g}" for k in at))
    path = tmp_path / "data"
    path.write_text("\n".join(lines) + "\n")
    wanted, labels = load_svmlight_file(str(path), multilabel=True, zero_based=False)
    data = read_multilabel(path)
    assert np.array_equal(data.inputs.toarray(), wanted.toarray())
    on = [tuple(float(data.meta["label_names"][u]) for u in np.flatnonzero(y)) for y in data.labels]
    assert on == [tuple(y) for y in labels]


def test_a_second_file_takes_labels_and_columns_of_the_first() -> None:
    first = parse_multilabel(TEXT)
    second = parse_multilabel("3 1:2 9:5\n", like=first)
    assert second.labels.tolist() == [[0, 1]]
    assert second.inputs.toarray().tolist() == [[2, 0, 0, 0]]
    assert parse_multilabel("1 1:1", like=first).inputs.shape == (1, 4)
    with pytest.raises(
        Refused, match="the text, line 2 has the label 7, which the first file has not; leave it out"
    ):
        parse_multilabel("\n7 1:1", like=first)


def test_the_sample_file_makes_a_problem() -> None:
    data = read_multilabel(SAMPLES / "kitchen.svmlight")
    problem = FieldLabelling(data, LabelMap(4, ((0, 1),)))
    assert (data.inputs.shape, data.labels.shape, problem.dim) == ((20, 11), (20, 4), 4 * 11 + 1)
    assert data.meta["example_names"][0] == "pancakes"
    assert data.labels[14].tolist() == [0, 0, 0, 0], "the pot roast has no label"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 1:1\na,2 1:1", r"the text, line 2 has the label 'a' in 'a,2'; give whole numbers from 0"),
        ("-1 1:1", "line 1 has the label '-1'"),
        ("+1 1:1", "line 1 has the label '\\+1'"),
        ("1.0 1:1", "line 1 has the label '1.0'"),
        ("1,,2 1:1", "line 1 has the label '' in '1,,2'"),
        ("1, 2 1:1", "line 1 has the label '' in '1,'"),
        ("1,1 1:1", "line 1 names a label twice in '1,1'; name each once"),
        ("1 3:1 2:1", "line 1 has feature 2 after feature 3; write each once, in increasing order"),
        ("1 3:1 3:1", "line 1 has feature 3 after feature 3"),
        ("1 0:1", "line 1 has the feature 0; number features from 1 to 10,000,000"),
        ("1 10000001:1", "line 1 has the feature 10000001; number features from 1 to 10,000,000"),
        ("1 99999999999999999999:1", "where index:value belongs"),
        ("1 1:nan", "line 1 has the value 'nan' for feature 1; give a finite number"),
        ("1 1:1e999", "line 1 has the value '1e999'"),
        ("1 1:", "line 1 has the value ''"),
        ("1 1:1_0", "line 1 has the value '1_0'"),
        ("1 qid:3 1:1", "line 1 has 'qid:3' where index:value belongs; write pairs such as 7:0.5"),
        ("1 1:1 5", "line 1 has '5' where index:value belongs"),
        ("1 ٣:1", "where index:value belongs"),
        ("# nothing\n\n", "the text holds no example; give lines such as"),
        (" 1:1\n 2:1", "the text has no label on any line; write the labels first"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_the_fix(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_multilabel(text)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="nowhere is not a file; give a text file"):
        read_multilabel(tmp_path / "nowhere")
    with pytest.raises(Refused, match="is not a file"):
        read_multilabel(tmp_path)
    (tmp_path / "packed").write_bytes(b"BZh91AY&SY")
    with pytest.raises(Refused, match=r"packed is compressed \(bzip2\); unpack it first"):
        read_multilabel(tmp_path / "packed")
    (tmp_path / "latin").write_bytes("1 1:1 # ä".encode("latin-1"))
    with pytest.raises(Refused, match=r"latin is not UTF-8 text \(byte 8\); save it as UTF-8"):
        read_multilabel(tmp_path / "latin")
    monkeypatch.setattr(svmlight, "MOST_BYTES", 10)
    (tmp_path / "large").write_text("1 1:1 2:2 3:3")
    with pytest.raises(Refused, match="large has more than 0 million bytes; give a part of it"):
        read_multilabel(tmp_path / "large")


def test_too_many_labels_for_a_dense_table_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svmlight, "MOST_LABELS", 3)
    with pytest.raises(
        Refused, match="2 examples with 2 different labels, a table of more than 3 entries; keep the most"
    ):
        parse_multilabel("1 1:1\n2 1:1")
