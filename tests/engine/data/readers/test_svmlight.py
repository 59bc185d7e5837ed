"""Multi-label lines: what is read, beside scikit-learn's reader, and what is refused by line."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from explorer.engine.data.readers import svmlight
from explorer.engine.data.readers.svmlight import (
    classes,
    label_sets,
    parse_lines,
    parse_multilabel,
    read_multilabel,
)
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


def test_files_that_are_read_together_share_labels_and_the_columns_of_the_first() -> None:
    first, second = label_sets(parse_lines(TEXT), parse_lines("3,7 1:2 9:5\n"))
    assert first.meta["label_names"] == second.meta["label_names"] == ("1", "3", "7")
    assert second.labels.tolist() == [[0, 1, 1]]
    assert second.inputs.toarray().tolist() == [[2, 0, 0, 0]]
    assert label_sets(parse_lines(TEXT), parse_lines("1 1:1"))[1].inputs.shape == (1, 4)


def test_features_are_counted_from_0_where_one_is() -> None:
    lines = parse_lines("1 0:5 2:7\n2 1:3\n")
    assert classes(lines)[0].inputs.toarray().tolist() == [[5, 0, 7], [0, 3, 0]]
    later, early = classes(parse_lines("1 1:5\n2 2:6\n"), parse_lines("1 0:9 1:4\n"))
    assert later.inputs.toarray().tolist() == [[0, 5, 0], [0, 0, 6]], "one of the files counts from 0"
    assert early.inputs.toarray().tolist() == [[9, 4, 0]]


def test_one_label_on_every_line_makes_classes_and_a_qid_makes_groups() -> None:
    lines = parse_lines("-1 qid:4 1:1\n+1 qid:4 2:1\n-1 qid:7 1:2 # third\n")
    assert lines.one_each
    (data,) = classes(lines)
    assert (data.meta["states"], data.labels.tolist()) == (("-1", "1"), [0, 1, 0])
    assert (data.meta["groups"], data.meta["example_names"]) == ((4, 4, 7), ("", "", "third"))
    assert not parse_lines("1,2 1:1\n3 1:1").one_each
    with pytest.raises(Refused, match="line 3 has 2 labels; give each example exactly one class"):
        classes(parse_lines("1 1:1\n\n1,2 1:1"))
    with pytest.raises(Refused, match="line 2 has the label '-1'; number the labels of a set from 0"):
        label_sets(parse_lines("1,2 1:1\n-1 1:1"))


def test_the_sample_file_makes_a_problem() -> None:
    data = read_multilabel(SAMPLES / "kitchen.svmlight")
    problem = FieldLabelling(data, LabelMap(4, ((0, 1),)))
    assert (data.inputs.shape, data.labels.shape, problem.dim) == ((20, 11), (20, 4), 4 * 11 + 1)
    assert data.meta["example_names"][0] == "pancakes"
    assert data.labels[14].tolist() == [0, 0, 0, 0], "the pot roast has no label"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 1:1\na,2 1:1", r"the text, line 2 has the label 'a' in 'a,2'; give whole numbers"),
        ("-1 1:1", "line 1 has the label '-1'"),
        ("1.5 1:1", "line 1 has the label '1.5'"),
        ("1,,2 1:1", "line 1 has the label '' in '1,,2'"),
        ("1, 2 1:1", "line 1 has the label '' in '1,'"),
        ("1,1 1:1", "line 1 names a label twice in '1,1'; name each once"),
        ("1 3:1 2:1", "line 1 has feature 2 after feature 3; write each once, in increasing order"),
        ("1 3:1 3:1", "line 1 has feature 3 after feature 3"),
        ("1 -1:1", "line 1 has '-1:1' where index:value belongs"),
        ("1 10000001:1", "line 1 has the feature 10000001; number features up to 10,000,000"),
        ("1 99999999999999999999:1", "where index:value belongs"),
        ("1 1:nan", "line 1 has the value 'nan' for feature 1; give a finite number"),
        ("1 1:1e999", "line 1 has the value '1e999'"),
        ("1 1:", "line 1 has the value ''"),
        ("1 1:1_0", "line 1 has the value '1_0'"),
        ("1 qid:3 1:1\n2 1:1", "line 2 has no qid, unlike the lines before it; give all or none"),
        ("1 qid:a 1:1", "line 1 has 'qid:a' where index:value belongs; write pairs such as 7:0.5"),
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
