"""Hostile input, as much as you like.

python -m tests.fuzz links 5000 [seed]     changed links of every page
"""

import sys
from itertools import islice

from tests.fuzz.links import Links, read


def main() -> None:
    what, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    wrong = 0
    for page, text in islice(Links(seed), count):
        fault = read(page, text)
        if fault:
            wrong += 1
            sys.stdout.write(f"{page}?{text[:300]}\n    {fault}\n")
    sys.stdout.write(f"{what}: {count} tried, {wrong} wrong\n")


if __name__ == "__main__":
    main()
