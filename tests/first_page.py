"""Run as a script: every kernel that the first page asks for and that is not among those compiled first, one
a line.

It needs a process of its own: only there is everything that was loaded before the page what was compiled
first.
"""

import sys

from explorer.command_line.small_runs import FIRST
from explorer.dashboards.studio.link import FIRST as FIRST_PAGE
from explorer.dashboards.studio.page import Studio
from explorer.session.runner import InThread
from explorer.session.shared_runs import shared_run


def kernels() -> set[tuple[str, str]]:
    """Name and types of every kernel that this process has loaded or compiled."""
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("explorer.engine.")]
    found = [kernel for module in ours for kernel in vars(module).values()]
    made = [kernel for kernel in found if hasattr(kernel, "nopython_signatures")]
    return {
        (kernel.py_func.__qualname__, str(types)) for kernel in made for types in kernel.nopython_signatures
    }


def main() -> None:
    """Compile what comes first; make the first page, and look at each of its views."""
    for part in FIRST.values():
        part()
    first = kernels()
    shared_run(FIRST_PAGE)
    page = Studio(runner=InThread())
    for number in range(len(page.kinds)):
        page.front(number + 1)
    page.shell.close()
    sys.stdout.writelines(f"{name} {types}\n" for name, types in sorted(kernels() - first))


main()
