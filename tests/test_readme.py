"""The README: its Python runs and prints what it says, and the files it names are there."""

import re
from pathlib import Path

import pytest

from explorer.command_line.main import parser

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()


def fenced(kind: str) -> list[str]:
    """The blocks of one kind."""
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL)


def test_the_first_lines_are_the_two_commands() -> None:
    first, second = TEXT.splitlines()[:2]
    assert first.split()[:2] == ["make", "run"]
    assert second.split()[:2] == ["make", "test"]


@pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")
def test_the_python_of_the_readme_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks, outputs = fenced("python"), fenced("text")
    assert len(blocks) == len(outputs) > 0
    for block, output in zip(blocks, outputs, strict=True):
        exec(compile(block, "README.md", "exec"), names)
        assert capsys.readouterr().out == output


def test_the_commands_of_the_readme_are_understood() -> None:
    lines = re.findall(r"^ +\$ explorer (.*)$", TEXT, re.MULTILINE)
    assert len(lines) >= 5
    for line in lines:
        assert parser().parse_args(line.split("#")[0].split()).command


def test_the_files_of_the_layout_are_there() -> None:
    layout = re.search(r"^    explorer/\n((?:      .*\n)+)", TEXT, re.MULTILINE)
    assert layout is not None
    for line in layout[1].splitlines():
        folder = ROOT / "explorer" / ("engine" if line.startswith("        ") else "")
        for name in re.split(r" {3,}", line.strip())[0].replace(",", " ").split():
            assert (folder / name).exists(), name


def test_every_module_of_the_engine_is_in_the_layout() -> None:
    for path in (ROOT / "explorer" / "engine").iterdir():
        if not path.name.startswith("__"):
            assert re.search(rf"\b{re.escape(path.name)}", TEXT), path.name


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len(TEXT.splitlines()) <= 200
