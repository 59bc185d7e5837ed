"""Run as `python -m tests.versions`: does a plain install of the wheel work on every Python of this machine,
with the newest packages there are, and with the oldest that pyproject.toml allows?

In each fresh environment, away from the sources: `explorer train circle`, a sample file by its name, the
first page of `explorer serve` with its plots in Chromium, then a part of the suite (from the sources, with
the environment's packages). A Python that this machine does not have is skipped with a line. The oldest
packages are chosen by uv, which like all else comes from the package index.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Error as BrowserFault
from playwright.sync_api import sync_playwright

from tests.ui.conftest import ARGS, CHROMIUM, free_port
from tests.ui.settling import HANGS, answers
from tests.waiting import wait_until

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
OLDEST = "3.11"
"""The Python on which the oldest packages are tried: some of them know no newer one."""

TOOLS = (
    "pytest",
    "pytest-timeout",
    "pytest-xdist",
    "hypothesis",
    "playwright",
    "psutil",
    "pandas",
    "matplotlib",
)
PART = (
    "tests/contracts/test_problem_contract.py",
    "tests/contracts/test_learner_contract.py",
    "tests/dashboards",
    "tests/session",
    "tests/estimators",
    "tests/plot",
)


def say(line: str) -> None:
    """A line of the report, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def runs_here(python: str) -> bool:
    """Whether this interpreter exists and has what pip needs."""
    try:
        return subprocess.run([python, "-c", "import ssl, venv"], capture_output=True).returncode == 0
    except OSError:
        return False


def interpreter(version: str) -> str | None:
    """An interpreter of this version: on PATH, or one of pyenv's."""
    pyenv = Path.home() / ".pyenv" / "versions"
    places = (f"python{version}", *map(str, sorted(pyenv.glob(f"{version}.*/bin/python"))))
    return next((place for place in places if runs_here(place)), None)


class Environment:
    """A fresh virtual environment, and a folder far from the sources to work in."""

    def __init__(self, python: str, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "venv" / "bin"
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir(parents=True)
        self.variables = {
            **{
                name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
            },
            "NUMBA_CACHE_DIR": str(folder / "kernels"),
            "EXPLORER_RUNS": str(folder / "runs"),
        }
        self.call([python, "-m", "venv", str(folder / "venv")], self.elsewhere)

    def call(self, command: list[str], where: Path) -> str:
        """What a command says; an error with its last lines if it fails."""
        done = subprocess.run(command, cwd=where, env=self.variables, capture_output=True, text=True)
        if done.returncode:
            last = (done.stdout + done.stderr).strip().splitlines()[-15:]
            raise RuntimeError("\n".join([" ".join(command[:4]), *last]))
        return done.stdout

    def pip(self, *what: str) -> None:
        """Install packages."""
        self.call([str(self.bin / "pip"), "install", "-q", *what], self.elsewhere)

    def explorer(self, *words: str) -> str:
        """What the installed command says."""
        return self.call([str(self.bin / "explorer"), *words], self.elsewhere)

    def packages(self) -> str:
        """The versions that matter most."""
        shown = (
            "numpy",
            "scipy",
            "numba",
            "scikit-learn",
            "bokeh",
            "panel",
            "panel-material-ui",
            "holoviews",
        )
        listed = self.call([str(self.bin / "pip"), "list", "--format=freeze"], self.elsewhere).split()
        return ", ".join(line.replace("==", " ") for line in listed if line.partition("==")[0] in shown)


def install_newest(environment: Environment, wheel: Path) -> None:
    """What a user gets who types pip install."""
    environment.pip(f"{wheel}[app]")


def install_oldest(environment: Environment, wheel: Path) -> None:
    """The oldest version of everything that pyproject.toml names."""
    environment.pip("uv")
    chosen = environment.folder / "oldest.txt"
    extras = [word for extra in ("app", "frames", "notebook") for word in ("--extra", extra)]
    lowest = ["pip", "compile", "-q", "--resolution", "lowest-direct", "-o", str(chosen), *extras]
    project = str(ROOT / "pyproject.toml")
    environment.call([str(environment.bin / "uv"), *lowest, project], environment.elsewhere)
    environment.pip("-r", str(chosen), str(wheel))


def train_circle(environment: Environment) -> None:
    """The first command of the README proves its answer."""
    said = environment.explorer("train", "circle")
    assert "a certificate" in said, said


def train_file(environment: Environment) -> None:
    """A sample file is found from every folder."""
    said = environment.explorer("train", "sample_data/kitchen.svmlight")
    assert "primal" in said, said


@contextmanager
def served(environment: Environment) -> Iterator[str]:
    """The address of a server of this environment."""
    port = free_port()
    with subprocess.Popen(
        [str(environment.bin / "explorer"), "serve", "--port", str(port)],
        cwd=environment.elsewhere,
        env=environment.variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_until(lambda: answers(f"http://localhost:{port}/studio", process))
            yield f"http://localhost:{port}"
        finally:
            process.terminate()


def open_first_page(environment: Environment) -> None:
    """The studio has plots and a proof, and its browser has nothing to complain of."""
    faults: list[str] = []
    with served(environment) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"{address}/studio", timeout=HANGS)
        page.locator("canvas").first.wait_for(timeout=HANGS)
        page.locator(".step-caption", has_text="proved to be within").wait_for(timeout=HANGS)
        browser.close()
    assert not faults, faults


def run_part_of_the_suite(environment: Environment, *options: str) -> None:
    """Engine contracts, sessions, pages, estimators and plots, with these packages."""
    environment.pip(*TOOLS)
    quiet = ["-q", "-p", "no:cacheprovider", *options]
    environment.call([str(environment.bin / "python"), "-m", "pytest", *quiet, *PART], ROOT)


def old_suite(environment: Environment) -> None:
    """Old packages warn of what newer Pythons dislike in them: that is not ours to mend."""
    run_part_of_the_suite(environment, "-o", "filterwarnings=default")


Trial = Callable[[Environment], None]


def report(name: str, environment: Environment, trials: dict[str, Trial]) -> int:
    """Try everything in an environment; returns how much of it failed."""
    failed = 0
    say(f"{name}: {environment.packages()}")
    for what, attempt in trials.items():
        try:
            attempt(environment)
            say(f"    {what}: works")
        except (AssertionError, RuntimeError, BrowserFault) as fault:
            failed += 1
            say(f"    {what}: FAILS\n{fault}")
    return failed


def main() -> int:
    """Every Python with the newest packages, then the oldest packages; 1 if anything failed."""
    trials: dict[str, Trial] = {
        "explorer train circle": train_circle,
        "explorer train sample_data/kitchen.svmlight": train_file,
        "the first page": open_first_page,
    }
    if CHROMIUM is None:
        say("There is no Chromium, so pages are not opened.")
        del trials["the first page"]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="versions-") as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", name, str(ROOT)], check=True
        )
        (wheel,) = folder.glob("*.whl")
        plans = [(version, install_newest, run_part_of_the_suite) for version in PYTHONS]
        for version, install, suite in (*plans, (OLDEST, install_oldest, old_suite)):
            title = f"Python {version}, {install.__name__.removeprefix('install_')} packages"
            python = interpreter(version)
            if python is None:
                say(f"{title}: skipped, this machine has no Python {version}")
                continue
            environment = Environment(python, folder / title.replace(" ", "-").replace(",", ""))
            install(environment, wheel)
            failed += report(title, environment, {**trials, "a part of the suite": suite})
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
