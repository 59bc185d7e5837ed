"""A real treebank: how large it is, and that writing it back changes no byte."""

from pathlib import Path

from explorer.engine.data.readers.treebank import read_treebank, treebank_text
from explorer.engine.data.writers.treebank import with_heads


def test_a_real_treebank_is_counted_and_written_back_byte_for_byte(data_dir: Path) -> None:
    """The counts are those that the treebank's makers publish for their development part."""
    place = data_dir / "ud-de" / "de_gsd-ud-dev.conllu.gz"
    data = read_treebank(place)
    assert (len(data), sum(len(heads) for heads in data.labels)) == (799, 12_480)
    text = treebank_text(place)
    assert with_heads(text, [[int(head) for head in heads] for heads in data.labels]) == text
