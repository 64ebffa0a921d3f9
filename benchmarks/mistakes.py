"""Whether the linter sees a mistake that is put into real code.

`python -m benchmarks.mistakes FOLDER... [--most N] [--missed]`; each FOLDER is a project, which is
read, never run. One mistake at a time (`mistaken_edits.py`) goes into one file (at most N of a kind
in a project, drawn by a hash), beside the rest of its project in a folder of its own, and is seen
when something is claimed that was not claimed before, by the runs of that file or of those that
import it. Not every mistake does harm: what runs without grad mode keeps no graph.
"""

import argparse
import ast
import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.claims import Claim, claims
from benchmarks.mistaken_edits import MISTAKES, Edit


@dataclass(frozen=True)
class Place:
    """Where a mistake can be made in a project."""

    mistake: str
    file: Path
    edit: Edit

    def drawn(self, root: Path) -> str:
        """What says in which order the places of a project are drawn."""
        told = f"{self.file.relative_to(root)}:{self.edit.first}"
        return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True)
class Outcome:
    """One mistake: which, where, and the codes of what was claimed anew."""

    mistake: str
    path: str
    row: int
    seen: list[str]


def _places(root: Path) -> Iterator[Place]:
    """Where mistakes can be made in a project."""
    for file in sorted(root.rglob("*.py")):
        text = file.read_text(encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(text) if "torch" in text else None
        except (SyntaxError, ValueError):
            continue
        rows = text.splitlines(keepends=True)
        for make in MISTAKES if tree else ():
            yield from (Place(make.__name__, file, edit) for edit in make(tree, rows))


def drawn(root: Path, most: int) -> list[Place]:
    """At most so many places for each mistake in a project."""
    by_kind: dict[str, list[Place]] = {}
    for place in sorted(_places(root), key=lambda one: one.drawn(root)):
        by_kind.setdefault(place.mistake, []).append(place)
    return [place for places in by_kind.values() for place in places[:most]]


def _key(text: str, claim: Claim) -> tuple[str, str]:
    """What a claim says, wherever the line stands by now."""
    rows = text.splitlines()
    return claim.code, rows[claim.row - 1].strip() if 0 < claim.row <= len(rows) else ""


def outcomes(root: Path, most: int) -> Iterator[Outcome]:
    """What came of mistakes in a project; each is written and taken back."""
    before: dict[Path, set[tuple[str, str]]] = {}
    for place in drawn(root, most):
        file = place.file
        text = file.read_text(encoding="utf-8", errors="replace")
        if file not in before:
            known = claims(file, root=root, importers=True)
            before[file] = {_key(text, claim) for claim in known}
        rows, edit = text.splitlines(keepends=True), place.edit
        wrong = "".join([*rows[: edit.first - 1], *edit.rows, *rows[edit.last :]])
        file.write_text(wrong, encoding="utf-8")
        told = claims(file, root=root, importers=True)
        new = {claim.code for claim in told if _key(wrong, claim) not in before[file]}
        file.write_text(text, encoding="utf-8")
        yield Outcome(place.mistake, str(file.relative_to(root)), edit.first, sorted(new))


def main() -> None:
    """Print, by mistake, how many were seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--most", type=int, default=1, help="mistakes of a kind in one project")
    parser.add_argument("--missed", action="store_true", help="list what was not seen")
    options = parser.parse_args()
    found: list[Outcome] = []
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as place:
            root = Path(shutil.copytree(folder, Path(place) / folder.name, symlinks=True))
            for one in outcomes(root, options.most):
                found.append(one)
                if options.missed and not one.seen:
                    print(f"{one.mistake:22} {folder.name}/{one.path}:{one.row}", flush=True)
    made = Counter(one.mistake for one in found)
    seen = Counter(one.mistake for one in found if one.seen)
    for make in MISTAKES:
        name = make.__name__
        print(f"{seen[name]:5} / {made[name]:5}  {name.replace('_', ' ')}")
    print(f"{seen.total():5} / {made.total():5}")


if __name__ == "__main__":
    main()
