"""Tables of clusters, as they stand beside tables of pairs (`readers.pair_table`): set, item, cluster."""

import csv
import io
from collections.abc import Iterable

from explorer.engine.data.readers.pair_table import CLUSTER_COLUMNS


def cluster_table(rows: Iterable[tuple[str, str, str]]) -> str:
    """The table of these rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([CLUSTER_COLUMNS, *rows])
    return out.getvalue()


__all__ = ["cluster_table"]
