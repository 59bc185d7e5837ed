"""Which of two training oracles is better? The tests of Table 4.5, computed again from the losses of Tables
4.3 and 4.4.

    W = sum over lines of sign(Iterative - Spectral) * rank |Iterative - Spectral|,
        P by counting all assignments of signs

Finley 2009, section 4.5.5. Nothing is trained here: the losses are the source's own. Three of the four
printed lines do not follow from them: W of WebKB-N and of News, and P of News and Synth. Random signs check
the exact tail. Cost: none to speak of.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.published_clusterings import ITERATIVE, NONE, PAIR, SPECTRAL
from explorer.studies.support.rank_statistics import compare_ranks, drawn_tail, mid_ranks
from explorer.studies.support.rows import judge, row, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

LEVEL = 0.05


@final
@settings
class SignedRank:
    """Iterative against Spectral, by the source's losses."""

    name: ClassVar[str] = "signed-rank"
    title: ClassVar[str] = "Is one clusterer the better teacher?"
    source: ClassVar[str] = "Finley 2009, Table 4.5, from Tables 4.3 and 4.4"
    about: ClassVar[str] = (
        "Printed losses after training with Iterative and with Spectral are compared by counts and by "
        "signed ranks. "
        "The counts come out as printed, W and P not everywhere; only Synth speaks for one of the two."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("data", "data", key=True),
        Column("win", "Iterative wins", form="d"),
        Column("tie", "ties", form="d"),
        Column("lose", "loses", form="d"),
        Column("size", "|W|", form="g"),
        Column("W", "W, Iterative - Spectral", form="g"),
        Column("n", "lines that differ", form="d"),
        Column("p", "P, one tail", form=".4f"),
        Column("normal", "P, normal", form=".4f"),
        Column("drawn", "P, random signs", form=".4f"),
        Column("beaten", "lines where both beat Pair and None", form="d"),
        Column("lines", "lines", form="d"),
        Column("text", "P as text"),
        Column("remark", "remark"),
    )
    plot: ClassVar[Plot] = Plot("bars", "data", ("p",))

    draws: int = knob(
        100_000, "Random assignments of signs that check the exact tail.", low=1, high=1_000_000, log=True
    )
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "SignedRank":
        return cls(draws=10_000)

    @property
    def total(self) -> int:
        return len(printed.TESTS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 4.5; where it prints only that P is above .05, the text says so."""
        return tuple(
            row(
                data=data,
                win=line.win,
                tie=line.tie,
                lose=line.lose,
                size=line.W,
                n=line.n,
                p=float(line.p) if line.p.startswith(".") else None,
                text=line.p,
                remark=printed.MISPRINTS.get(data),
            )
            for data, line in printed.TESTS.items()
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Data set by data set."""
        for data in printed.TESTS:
            pulse(f"counting signs of {data}")
            yield self._row(data)

    def _row(self, data: str) -> Row:
        columns = {method: np.array(printed.column(data, method), dtype=float) for method in printed.METHODS}
        first, second = columns[ITERATIVE], columns[SPECTRAL]
        found = compare_ranks(first, second)
        gaps = np.abs(first - second)
        ranks = mid_ranks(gaps[gaps > 1e-9])
        both, rivals = np.maximum(first, second), np.minimum(columns[PAIR], columns[NONE])
        return row(
            data=data,
            win=found.win,
            tie=found.tie,
            lose=found.lose,
            size=abs(found.W),
            W=found.W,
            n=found.n,
            p=found.p,
            normal=found.normal,
            drawn=drawn_tail(ranks, abs(found.W), self.draws, np.random.default_rng(self.seed)),
            beaten=int(np.sum(both < rivals)),
            lines=len(first),
            text=f"{found.p:.4g}".lstrip("0"),
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The counts, the ranks, the tails, what they say, and who is beaten."""
        return (self._counts(rows), self._ranks(rows), self._tails(rows), *self._meaning(rows))

    def _counts(self, rows: Sequence[Row]) -> Finding:
        ours = {
            data: [value(rows, name, data=data) for name in ("win", "tie", "lose")] for data in printed.TESTS
        }
        same = all(ours[data] == [line.win, line.tie, line.lose] for data, line in printed.TESTS.items())
        told = ", ".join(f"{data} {'/'.join(f'{x:g}' for x in counts)}" for data, counts in ours.items())
        return judge(
            "Win/tie/lose counts are as printed.", [x for counts in ours.values() for x in counts], same, told
        )

    def _ranks(self, rows: Sequence[Row]) -> Finding:
        ours = {data: value(rows, "size", data=data) for data in printed.TESTS}
        wrong = [data for data, line in printed.TESTS.items() if ours[data] != line.W]
        told = ", ".join(f"{data} {ours[data]:g}, printed {printed.TESTS[data].W:g}" for data in wrong)
        return judge(
            "The sums of signed ranks are as printed.", list(ours.values()), not wrong, told or "all agree"
        )

    def _tails(self, rows: Sequence[Row]) -> Finding:
        ours = {data: value(rows, "p", data=data) for data in printed.TESTS}
        wrong = [data for data, line in printed.TESTS.items() if not _as_printed(ours[data], line.p)]
        told = ", ".join(f"{data} {ours[data]:.4f}, printed {printed.TESTS[data].p}" for data in wrong)
        return judge("The tails are as printed.", list(ours.values()), not wrong, told or "all agree")

    def _meaning(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        p = {data: value(rows, "p", data=data) for data in printed.TESTS}
        low = [data for data, found in p.items() if found < LEVEL]
        real = [found for data in printed.TESTS if data != printed.SYNTH for found in where(rows, data=data)]
        beaten = sum(found.number("beaten") for found in real)
        lines = sum(found.number("lines") for found in real)
        apart = [abs(found.number("p") - found.number("drawn")) for found in rows]
        room = 4.0 * 0.5 / self.draws**0.5
        return (
            judge(
                f"Only Synth tells the two apart at {LEVEL:g}, in favour of Iterative.",
                list(p.values()),
                low == [printed.SYNTH] and value(rows, "W", data=printed.SYNTH) < 0.0,
                ", ".join(f"{data} p = {found:.3f}" for data, found in p.items()),
            ),
            judge(
                "On real data both trained methods beat the pair classifier and no training on every line.",
                [beaten, lines] if real else [],
                beaten == lines,
                f"on {beaten:g} of {lines:g} lines; on Synth on "
                f"{value(rows, 'beaten', data=printed.SYNTH):g} of 5",
            ),
            judge(
                "Random signs agree with the exact tails within four standard errors.",
                apart,
                max(apart, default=0.0) <= room,
                f"at most {max(apart, default=0.0):.4f} apart, {room:.4f} allowed",
            ),
        )


def _as_printed(p: float, text: str) -> bool:
    """Whether a tail, rounded as the text is, is the text."""
    return p > LEVEL if text.startswith(">") else round(p, len(text) - 1) == float(text)
