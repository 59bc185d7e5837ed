"""The printed tables of chapter 4: complete, and with the means and differences that the source's text speaks
of.
"""

import numpy as np
import pytest

from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.published_clusterings import ITERATIVE, METHODS, NEWS, PAIR, SPECTRAL, SYNTH


@pytest.mark.spec("C49")
def test_every_line_of_tables_4_3_and_4_4_is_here() -> None:
    assert {data: len(lines) for data, lines in printed.TABLE.items()} == {
        "WebKB-L": 4,
        "WebKB-N": 4,
        "Synth": 5,
        "News 8-1": 7,
        "News 8-2": 7,
        "News 8-4": 7,
    }
    assert len(list(printed.lines(NEWS))) == 21
    for lines in printed.TABLE.values():
        assert all(
            len(losses) == 4 and all(0.0 <= loss <= 100.0 for loss in losses) for losses in lines.values()
        )


@pytest.mark.spec("C49")
@pytest.mark.parametrize(
    ("data", "means"),
    [
        ("WebKB-L", (51.4, 54.2, 75.1, 75.3)),
        ("WebKB-N", (68.6, 60.7, 75.6, 78.6)),
        (SYNTH, (46.5, 58.8, 50.2, 74.7)),
        ("News 8-1", (17.6, 17.5, 48.1, 41.2)),
        ("News 8-2", (17.1, 14.2, 46.9, 51.4)),
        ("News 8-4", (12.6, 13.4, 46.3, 37.1)),
        (NEWS, (15.8, 15.1, 47.1, 43.2)),
    ],
)
def test_columns_have_the_means_that_were_worked_out_from_the_source(
    data: str, means: tuple[float, ...]
) -> None:
    assert [printed.mean(data, method) for method in METHODS] == pytest.approx(list(means), abs=0.0501)


def test_links_help_in_all_eight_comparisons_by_the_differences_of_the_text() -> None:
    gains = {
        m: np.subtract(printed.column(printed.WEB_WORDS, m), printed.column(printed.WEB_LINKS, m))
        for m in (ITERATIVE, SPECTRAL)
    }
    assert gains[ITERATIVE] == pytest.approx([17.7, 10.1, 15.7, 25.3])
    assert gains[SPECTRAL] == pytest.approx([8.1, 0.1, 11.6, 6.0])


def test_on_synth_the_pair_classifier_wins_once_against_iterative() -> None:
    ahead = np.array(printed.column(SYNTH, PAIR)) < np.array(printed.column(SYNTH, ITERATIVE))
    assert ahead.tolist() == [False, False, True, False, False]
