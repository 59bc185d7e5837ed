"""`python -m explorer` and the command `explorer`: hands over to the command line."""

import sys

from explorer.command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
