"""Whether of two mistakes in one file both are told.

`python -m benchmarks.pairs FOLDER [--count N] [--seed N] [--show N]` writes pairs of programs of
`FOLDER/errors` one after the other into one file, and prints of how many pairs both mistakes are
told, each of which is told when its program stands alone; and of how many pairs of programs of
`FOLDER/ok` anything is told. `FOLDER` is `fixtures/cases/engine`, or one like it. Last comes how
many programs of `FOLDER/errors` get more than one finding: each holds one mistake.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograd_lint.live.messages import classify
from benchmarks.claims import Claim, claims
from benchmarks.corpora import errors_of, header, predicts


@dataclass(frozen=True)
class Pair:
    """Two programs in one file: what stands where, and which of both mistakes are told."""

    first: Path
    second: Path
    told: tuple[bool, bool]
    claimed: tuple[Claim, ...]


def joined(first: str, second: str) -> tuple[str, int]:
    """One program after the other, and by how many rows the second one has moved."""
    above = first if first.endswith("\n") else f"{first}\n"
    return above + second, above.count("\n")


def drawn(paths: list[Path], count: int, seed: int) -> Iterator[tuple[Path, Path]]:
    """Pairs of different programs, drawn at random."""
    draw = random.Random(seed)
    for _ in range(count):
        first, second = draw.sample(paths, 2)
        yield first, second


def claimed(text: str, folder: Path) -> list[Claim]:
    """What is told of a program."""
    path = folder / "program.py"
    path.write_text(text)
    return errors_of(claims(path))


def is_told(path: Path, found: list[Claim], down: int = 0) -> bool:
    """Whether the mistake of a program is told, which stands that many rows further down."""
    head = header(path)
    rows = {key: str(int(head[key]) + down) for key in ("raise_line", "cause_line")}
    kind = next(iter(_kinds(path)), "other")
    return any(predicts(claim, kind, {**head, **rows}) for claim in found)


def _kinds(path: Path) -> Iterator[str]:
    kind = classify(header(path)["error"].replace("\\", ""))
    if kind:
        yield kind.value


def judge(first: Path, second: Path, folder: Path) -> Pair:
    """Tell of two mistakes in one file."""
    text, down = joined(first.read_text(), second.read_text())
    found = claimed(text, folder)
    return Pair(first, second, (is_told(first, found), is_told(second, found, down)), tuple(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10, help="how many misses are shown")
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        folder = Path(place)
        errors = sorted((options.folder / "errors").glob("*.py"))
        alone = {path: claimed(path.read_text(), folder) for path in errors}
        seen = [path for path in errors if is_told(path, alone[path])]
        pairs = [judge(*pair, folder) for pair in drawn(seen, options.count, options.seed)]
        clean = [
            (one, other, claimed(joined(one.read_text(), other.read_text())[0], folder))
            for one, other in drawn(
                sorted((options.folder / "ok").glob("*.py")), options.count, options.seed
            )
        ]
    missed = [pair for pair in pairs if not all(pair.told)]
    for pair in missed[: options.show]:
        print(f"  {pair.first.stem} then {pair.second.stem}: told {pair.told}")
    flagged = [found for found in clean if found[2]]
    for one, other, found in flagged[: options.show]:
        print(f"  {one.stem} then {other.stem}: {found[0].row} {found[0].text}")
    several = [path for path in errors if len(alone[path]) > 1]
    for path in several[: options.show]:
        print(f"  {path.stem}: " + "; ".join(f"{one.row} {one.code}" for one in alone[path]))
    print(f"{len(seen)} of {len(errors)} mistakes are told when they stand alone")
    print(f"{len(pairs) - len(missed)} of {len(pairs)} pairs of them have both told")
    print(f"{len(flagged)} of {len(clean)} pairs of correct programs are flagged")
    print(f"{len(several)} of {len(errors)} programs with one mistake get several findings")


if __name__ == "__main__":
    main()
