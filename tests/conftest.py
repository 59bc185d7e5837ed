"""What every test may ask for."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data sets named by EXPLORER_DATA; without it the test is skipped."""
    named = os.environ.get("EXPLORER_DATA", "")
    if not named:
        pytest.skip("EXPLORER_DATA is not set: it should name the folder with the real data sets.")
    folder = Path(named)
    if not folder.is_dir():
        pytest.skip(f"EXPLORER_DATA names {folder}, which is not a folder.")
    return folder
