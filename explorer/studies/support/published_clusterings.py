"""What Finley 2009 printed in chapter 4: normalised losses in per cent (Tables 4.3 and 4.4) and the tests on
them (Table 4.5).

Columns are how the similarity was made: trained with the Iterative or the Spectral oracle, by the pair
classifier, or not at all. Each line is one clustering that was left out of training. What Table 4.5 prints
differs in places from what follows from the losses; `MISPRINTS` says where, and `rank_statistics.py` computes
it again.
"""

from collections.abc import Iterator
from typing import NamedTuple

ITERATIVE, SPECTRAL, PAIR, NONE = METHODS = ("Iterative", "Spectral", "Pair", "None")

WEB_LINKS, WEB_WORDS, SYNTH = "WebKB-L", "WebKB-N", "Synth"
NEWS_DAYS = ("News 8-1", "News 8-2", "News 8-4")
NEWS = "News"

Losses = tuple[float, float, float, float]

TABLE: dict[str, dict[str, Losses]] = {
    WEB_LINKS: {
        "Cornell": (45.3, 53.3, 79.7, 74.7),
        "Texas": (59.8, 56.7, 78.9, 72.8),
        "Washington": (53.1, 46.6, 60.6, 76.2),
        "Wisconsin": (47.3, 60.2, 81.1, 77.5),
    },
    WEB_WORDS: {
        "Cornell": (63.0, 61.4, 74.8, 78.6),
        "Texas": (69.9, 56.8, 75.5, 78.7),
        "Washington": (68.8, 58.2, 74.9, 78.3),
        "Wisconsin": (72.6, 66.2, 77.0, 78.6),
    },
    SYNTH: {
        "1": (43.3, 55.6, 48.1, 74.7),
        "2": (53.4, 58.7, 54.7, 74.7),
        "3": (56.0, 56.7, 55.2, 74.7),
        "4": (39.3, 59.5, 43.9, 74.7),
        "5": (40.3, 63.4, 49.1, 74.7),
    },
    "News 8-1": {
        "Business": (23.7, 20.6, 45.2, 49.5),
        "Entertainment": (12.7, 22.2, 53.0, 25.9),
        "Health": (28.1, 28.7, 57.4, 38.8),
        "Nation": (3.8, 3.8, 40.2, 14.6),
        "Sports": (15.2, 14.3, 47.6, 59.9),
        "Technology": (35.9, 30.4, 51.7, 37.3),
        "World": (3.7, 2.4, 41.7, 62.1),
    },
    "News 8-2": {
        "Business": (3.6, 4.6, 34.1, 63.8),
        "Entertainment": (22.7, 9.5, 40.1, 22.8),
        "Health": (20.4, 20.4, 48.4, 43.9),
        "Nation": (24.6, 23.7, 47.4, 60.6),
        "Sports": (20.2, 15.8, 59.3, 57.0),
        "Technology": (16.1, 13.8, 48.3, 41.3),
        "World": (12.2, 11.9, 50.5, 70.4),
    },
    "News 8-4": {
        "Business": (19.7, 14.9, 42.7, 33.5),
        "Entertainment": (4.6, 6.3, 46.8, 32.4),
        "Health": (15.0, 16.2, 51.7, 32.1),
        "Nation": (19.4, 20.3, 41.2, 30.0),
        "Sports": (19.0, 19.0, 55.6, 54.7),
        "Technology": (5.8, 11.6, 46.4, 37.6),
        "World": (4.8, 5.8, 39.6, 39.3),
    },
}
"""Tables 4.3 and 4.4."""


GRIDS = {WEB_LINKS: (-1, 4), WEB_WORDS: (0, 5), NEWS: (0, 5), SYNTH: (-2, 3)}
"""Section 4.5.2: the powers of ten among which C was chosen, from the first to the last."""


class Printed(NamedTuple):
    """A line of Table 4.5: Iterative against Spectral; W is without sign, `p` the printed text."""

    win: int
    tie: int
    lose: int
    W: float
    n: int
    p: str


TESTS = {
    WEB_LINKS: Printed(2, 0, 2, 4.0, 4, "> .05"),
    WEB_WORDS: Printed(0, 0, 4, 4.0, 4, "> .05"),
    NEWS: Printed(8, 3, 10, 30.0, 18, ".2611"),
    SYNTH: Printed(5, 0, 0, 15.0, 5, ".05"),
}
"""Table 4.5; the 21 areas of news are taken together."""

MISPRINTS = {
    WEB_WORDS: "W is 10, not 4: all four have one sign",
    NEWS: "W is 31, not 30, with shared ranks for equal differences; .2611 is the normal tail of W = 30, "
    "exact is .258",
    SYNTH: "P is .031, not .05: one of 32 assignments of signs",
}
"""Where Table 4.5 does not follow from Tables 4.3 and 4.4."""


def lines(data: str) -> Iterator[tuple[str, Losses]]:
    """Which clustering was left out, and its four losses; News is all three days."""
    for part in NEWS_DAYS if data == NEWS else (data,):
        yield from TABLE[part].items()


def column(data: str, method: str) -> tuple[float, ...]:
    """One method's losses on every clustering of a data set."""
    place = METHODS.index(method)
    return tuple(losses[place] for _, losses in lines(data))


def mean(data: str, method: str) -> float:
    """The mean of a column."""
    found = column(data, method)
    return sum(found) / len(found)
