"""Whether a fix applied leaves the other findings of a file as they were.

`python -m benchmarks.fixed_pairs FOLDER [--count N] [--seed N]` writes pairs of programs of
`FOLDER/errors` one after the other into one file, as `benchmarks.pairs` does, applies each fix that
is offered for one of both mistakes alone, and prints how often the other mistake is still told.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from autograd_lint.fixes.editing import Document
from benchmarks.pairs import claimed, drawn, is_told, joined
from benchmarks.safe_fixes import offered


def trials(first: Path, second: Path, folder: Path) -> Iterator[tuple[str, bool]]:
    """Each fix of a pair by its code, and whether the mistake of the other program is told after
    it."""
    text, down = joined(first.read_text(), second.read_text())
    path = folder / "fixed.py"
    path.write_text(text)
    for finding in offered(path, text.encode()):
        edits = finding.fix.edits if finding.fix else ()
        fixed = Document(text).edited(edits).text
        above = all(edit.place.row <= down for edit in edits)
        if not above and any(edit.place.row <= down for edit in edits):
            continue
        moved = fixed.count("\n") - text.count("\n")
        found = claimed(fixed, folder)
        yield finding.code, is_told(second, found, down + moved) if above else is_told(first, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        folder = Path(place)
        errors = sorted((options.folder / "errors").glob("*.py"))
        told = [path for path in errors if is_told(path, claimed(path.read_text(), folder))]
        tried = kept = 0
        for first, second in drawn(told, options.count, options.seed):
            for code, still in trials(first, second, folder):
                tried, kept = tried + 1, kept + still
                if not still:
                    print(f"  {first.stem} then {second.stem}: the fix of {code} hides the other")
    print(f"after {kept} of {tried} fixes the other mistake is told as before")


if __name__ == "__main__":
    main()
