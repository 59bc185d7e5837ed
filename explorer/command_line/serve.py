"""`explorer serve`: the pages in a browser, or in a window of their own."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

HERE = ("127.0.0.1", "localhost", "::1")
WARNING = (
    "Anyone who can reach this address can use the explorer: put a proxy with a password in front of it."
)


def options(command: ArgumentParser) -> None:
    """What can be trained besides the catalogue, where it listens, and who sees it."""
    command.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a data file, or file.py:name, to train on in the studio; or a saved run or model",
    )
    command.add_argument("--port", type=int, default=5006, help="where to listen (default: 5006)")
    command.add_argument(
        "--address", default="127.0.0.1", help="who can reach it (default: this machine alone)"
    )
    command.add_argument(
        "--allow", action="append", metavar="HOST:PORT", help="an address under which browsers may come"
    )
    command.add_argument("--show", action="store_true", help="open a browser window")
    command.add_argument(
        "--window", action="store_true", help="open a window of its own (this machine alone)"
    )


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Serve until interrupted, or until the window is closed."""
    # Loaded here: the options are understood at once, and also without the extra [app].
    from explorer.command_line.labelled.files import existing
    from explorer.dashboards.app import serve
    from explorer.dashboards.window import open_window, webview
    from explorer.engine.catalogue.python import NAMED

    if args.window:
        webview()  # where there is none, that is refused before anything is compiled
    for name in args.files:
        if not NAMED.fullmatch(name):
            existing(name)
    get_ready(say)
    if args.window:
        open_window(args.port, files=args.files)
        return 0
    if args.address not in HERE:
        say(WARNING)
    origins = {"websocket_origin": args.allow} if args.allow else {}
    serve(port=args.port, address=args.address, show=args.show, files=args.files, **origins)
    return 0


def get_ready(say: Callable[[str], None]) -> None:
    """Compile what the first page needs, if that is not done; the rest is compiled in the background."""
    from explorer.command_line.warmup import compile_first
    from explorer.engine.compiled import is_compiled

    if not is_compiled("first"):
        say("Compiling what the first page needs: once, for less than a minute.")
        compile_first()
    if not is_compiled("all"):
        say("What other tasks need is compiled in the background; pages say until when.")
