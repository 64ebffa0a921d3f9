"""Writes random programs and what the real engine says of them.

`python -m tests.truth.generate [--count N] [--seed N] [--size N] [--show KIND]`
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator

import torch

from tests.truth.judging import numbered
from tests.truth.programs import Program, program
from tests.truth.real import Verdict, run

Made = Callable[[random.Random, int], Program]


def generate(
    count: int, seed: int, size: int = 13, make: Made = program
) -> Iterator[tuple[Program, Verdict]]:
    """`count` valid programs with the real engine's verdicts, the same for the same seed."""
    made = 0
    for number in range(10 * count):
        candidate = make(random.Random(f"{seed}/{number}"), size)
        verdict = run(candidate.text, candidate.files)
        if verdict.valid:
            yield candidate, verdict
            made += 1
        if made == count:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", type=int, default=13)
    parser.add_argument("--show", help="print the programs of this kind (or `clean`, `invalid`)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    kinds: Counter[str] = Counter()
    for number in range(options.count):
        made = program(random.Random(f"{options.seed}/{number}"), options.size)
        verdict = run(made.text, made.files)
        kind = verdict.kind.value if verdict.kind else "clean" if verdict.valid else "invalid"
        kinds[kind] += 1
        if kind == options.show:
            print(f"{numbered(made)}\n# {verdict.filename}:{verdict.row}: {verdict.message}\n")
    for kind, number in kinds.most_common():
        print(f"{number:6d} {number / options.count:6.1%} {kind}")


if __name__ == "__main__":
    main()
