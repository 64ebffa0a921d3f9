"""How often the abstract engine and the real one agree on random programs.

`python -m benchmarks.agreement [--count N] [--seed N] [--folder FOLDER] [--shrink N]
[--packages]` prints a table by kind of error, and writes disagreements, made small, into FOLDER
(one file each, named by the sort). With `--packages` every program is spread over the modules of a
package and a script that runs it.
"""

import argparse
import contextlib
import random
import time
from collections import Counter
from pathlib import Path

import torch
from tests.truth.generate import generate
from tests.truth.judging import Disagreement, compare
from tests.truth.programs import Program, project
from tests.truth.programs import program as one_file
from tests.truth.real import Verdict, run
from tests.truth.shrinking import shrink

from benchmarks.claims import time_limit

Found = tuple[Program, Verdict, Disagreement]


def smaller(found: Found) -> Found:
    """The same sort of disagreement about the same kind of error, in a smaller program."""
    program, verdict, difference = found

    def judged(text: str) -> Found | None:
        other = run(text, program.files)
        if not other.valid or other.kind != verdict.kind:
            return None
        candidate = Program(text, program.decided, program.files)
        again = compare(candidate, other)
        return (candidate, other, again) if again and again.sort == difference.sort else None

    with contextlib.suppress(TimeoutError), time_limit(20):
        return judged(shrink(program.text, lambda text: judged(text) is not None)) or found
    return found


def report(number: int, found: Found, folder: Path) -> None:
    """Writes one disagreement: both verdicts as comments, the program."""
    program, verdict, difference = found
    kind = verdict.kind.value if verdict.kind else "clean"
    words = "".join(f"# {line}\n" for line in difference.detail.splitlines())
    parts = "".join(
        f"# {name}: {line}\n" for name, text in program.files.items() for line in text.splitlines()
    )
    text = f"{parts}{program.text}{words}"
    (folder / f"{difference.sort}-{kind}-{number}.py").write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", type=int, default=13)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--shrink", type=int, default=60, help="how many to make small")
    parser.add_argument("--packages", action="store_true", help="programs of several files alone")
    options = parser.parse_args()
    make = project if options.packages else one_file
    torch.set_num_threads(1)
    table: dict[str, Counter[str]] = {}
    found: list[Found] = []
    start = time.process_time()
    for program, verdict in generate(options.count, options.seed, options.size, make):
        difference = compare(program, verdict)
        kind = verdict.kind.value if verdict.kind else "clean"
        table.setdefault(kind, Counter())[difference.sort if difference else "agree"] += 1
        if difference:
            found.append((program, verdict, difference))
    print_table(table)
    print(f"{time.process_time() - start:.1f} s of CPU")
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        random.Random(0).shuffle(found)
        for number, case in enumerate(found[: options.shrink]):
            report(number, smaller(case), options.folder)


def print_table(table: dict[str, Counter[str]]) -> None:
    """Prints agreement by the kind of error of the real engine."""
    whole: Counter[str] = sum(table.values(), Counter())
    sorts = [sort for sort, _ in whole.most_common()]
    print(f"{'kind':24s}{'programs':>9s}" + "".join(f"{sort:>15s}" for sort in sorts))
    rows = sorted(table.items(), key=lambda item: -sum(item[1].values()))
    for kind, counts in [*rows, ("all", whole)]:
        cells = "".join(f"{counts[sort]:15d}" for sort in sorts)
        print(f"{kind:24s}{sum(counts.values()):9d}{cells}")
    print(f"agreement {whole['agree'] / max(1, sum(whole.values())):.2%}")


if __name__ == "__main__":
    main()
