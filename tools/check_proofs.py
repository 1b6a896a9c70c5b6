"""Optimal trees on many small weighted problems against every tree there is, in exact fractions.

    python tools/check_proofs.py --problems 20000

Then a tenth as many problems with numbers in place of classes. Fails at the first false proof or
bound. At the end it prints how many problems were proven, of all
and of those whose two least costs differ by more than 1e-9 of all weight.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import number_problems
from support.weighted_problems import SEARCHES, check


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=20_000)
    n_problems = parser.parse_args().problems
    for search in SEARCHES:
        n = n_problems // len(SEARCHES) + (SEARCHES.index(search) < n_problems % len(SEARCHES))
        found = [check(seed, search) for seed in range(n)]
        apart = [proven for is_apart, proven in found if is_apart]
        print(
            f"{search}: {n} problems, no false proof; {sum(p for _, p in found)} proven, and "
            f"{sum(apart)} of {len(apart)} with two costs that are apart",
            flush=True,
        )
    for search in number_problems.SEARCHES:
        n = n_problems // 10 // len(number_problems.SEARCHES)
        proven = sum(number_problems.check(seed, search) for seed in range(n))
        print(f"numbers, {search}: {n} problems, no false proof; {proven} proven", flush=True)


if __name__ == "__main__":
    main()
