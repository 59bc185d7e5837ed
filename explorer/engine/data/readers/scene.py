"""Multi-label arrays in an .npz file: X_train (n, F), y_train (n, l) of zeros and ones, X_test and y_test
alike.

Made for the scenes of Boutell et al. 2004: 1,211 training and 1,196 test pictures, 294 colour features, 6
labels. Any file with these four arrays will do. Nothing in the file is executed (no pickles). Cost: that of
reading it.
"""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.refusals import Refused

SCENES = ("beach", "sunset", "fall foliage", "field", "mountain", "urban")
PARTS = ("X_train", "y_train", "X_test", "y_test")
MOST_BYTES = 500_000_000


def read_scene(path: str | Path, constant: bool = False) -> tuple[Dataset, Dataset]:
    """Train and test; six labels get the names of the scenes, others numbers. `constant` adds a last feature
    1.
    """
    found = _arrays(Path(path))
    labels = found["y_train"].shape[1]
    names = SCENES if labels == len(SCENES) else tuple(f"label {u + 1}" for u in range(labels))
    name = Path(path).stem
    train, test = (
        label_set_data(title, _with_constant(found[f"X_{part}"], constant), found[f"y_{part}"], names)
        for part, title in (("train", name), ("test", f"{name} (test)"))
    )
    if train.inputs.shape[1] != test.inputs.shape[1]:
        raise Refused(
            f"{path}: X_train and X_test have different numbers of columns; give both the same features"
        )
    return train, test


def _with_constant(rows: Any, constant: bool) -> Any:
    return np.column_stack([rows, np.ones(len(rows))]) if constant else rows


def _arrays(path: Path) -> dict[str, Any]:
    """The four arrays, two-dimensional and numeric."""
    _check_size(path)
    try:
        with np.load(path, allow_pickle=False) as opened:
            missing = [part for part in PARTS if part not in opened]
            if missing:
                raise Refused(f"{path} has no array {missing[0]}; give {', '.join(PARTS)}")
            found = {part: opened[part] for part in PARTS}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(
            f"{path} is no readable .npz file ({error}); save it again with numpy.savez_compressed"
        ) from error
    for part, values in found.items():
        if values.ndim != 2 or values.dtype.kind not in "biuf":
            raise Refused(
                f"{path}: {part} has shape {values.shape} and type {values.dtype}; give a matrix of numbers"
            )
    return found


def _check_size(path: Path) -> None:
    """Refuse what would unpack to more than the bound."""
    if not path.is_file():
        raise Refused(f"{path} is not a file; give an .npz file with {', '.join(PARTS)}")
    if not zipfile.is_zipfile(path):
        raise Refused(f"{path} is no .npz file; save it with numpy.savez_compressed")
    with zipfile.ZipFile(path) as packed:
        size = sum(part.file_size for part in packed.infolist())
    if size > MOST_BYTES:
        raise Refused(
            f"{path} unpacks to {size / 1e6:,.0f} million bytes; give a part of it, at most 500 million"
        )
