"""Rows that come in blocks of equal size, each computed by itself: a study can go on after any of them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from explorer.studies.support.study import Row

Block = Callable[[], Iterator[Row]]


def rows_from(blocks: Sequence[Block], size: int, count: int) -> Iterator[Row]:
    """All rows but the first `count`: whole blocks are left out, a block that was begun is computed again."""
    done, begun = divmod(count, size)
    for at, block in enumerate(blocks[done:]):
        yield from islice(block(), begun if at == 0 else 0, None)
