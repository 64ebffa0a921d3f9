"""What the real engine says of the linter's findings: verdicts by certainty.

    python -m benchmarks.confirm_findings FILES... [--random N [--seed S]] [--root FOLDER] [--list]

Each finding in FILES is tried as `check --confirm` tries it; `--random N` adds N random programs,
`--possible` takes findings of every certainty. Programs that are right must not be confirmed:
`--right` tries on `fixed.py` what is found in the `buggy.py` beside it, moved to its rows, and on
the right version of a program every finding is wrong.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from autograd_lint.checking.pipeline import Checker
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Certainty, Finding
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.confirm import Confirmer
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.roots import Homes


def findings(file: Path, root: Path, possible: bool) -> Iterator[Finding]:
    """The findings in one file, the project around it at hand."""
    certainty = Certainty.POSSIBLE if possible else Certainty.LIKELY
    checker = Checker(Settings(certainty=certainty), Project((root,)))
    yield from checker.file(file).findings


def moved(finding: Finding, right: Path) -> Finding:
    """A finding as it would be about the right version of its file."""
    texts = [Path(finding.place.filename).read_text(), right.read_text()]
    lines = [text.splitlines() for text in texts]
    same = SequenceMatcher(None, lines[0], lines[1], autojunk=False)
    rows = {}
    for _, start, end, first, last in same.get_opcodes():
        for row in range(start, end):
            rows[row + 1] = max(1, min(first + row - start, last - 1) + 1)

    def at(place: Place) -> Place:
        row = rows.get(place.row, place.row)
        same = place.filename == finding.place.filename
        length = place.end_row - place.row
        return replace(place, filename=str(right), row=row, end_row=row + length) if same else place

    predicts = finding.predicts
    if predicts is not None and predicts.row is not None:
        predicts = replace(predicts, filename=str(right), row=rows.get(predicts.row, predicts.row))
    related = tuple(replace(one, place=at(one.place)) for one in finding.related)
    return replace(finding, place=at(finding.place), predicts=predicts, related=related)


def random_files(count: int, seed: int, folder: Path) -> Iterator[Path]:
    """Random programs as files."""
    from tests.truth.generate import generate

    for number, (program, _) in enumerate(generate(count, seed)):
        own = folder / str(number)
        own.mkdir()
        (own / "program.py").write_text(program.text)
        for name, text in program.files.items():
            (own / name).parent.mkdir(parents=True, exist_ok=True)
            (own / name).write_text(text)
        yield own / "program.py"


def tell(finding: Finding) -> None:
    """One line about a finding."""
    verdict = finding.confirmation
    assert verdict is not None
    place = f"{finding.place.filename}:{finding.place.row}"
    said = f"{verdict.verdict:10} {finding.certainty.value:8} {finding.code} {place}"
    why = f"{next(iter(verdict.assumptions), None)} | {(verdict.reason or '')[:160]}"
    print(f"{said} | {why}", flush=True)


def main() -> None:
    """Confirm everything and count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--possible", action="store_true")
    parser.add_argument("--right", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder, Witnesses() as witnesses:
        files = [file.resolve() for file in options.files]
        files += random_files(options.random, options.seed, Path(folder))
        for file in files:
            root = options.root or Homes().of(file.parent).folder
            confirmer = Confirmer(root=str(root), witnesses=witnesses)
            found = findings(file, root, options.possible)
            if options.right:
                right = file.with_name("fixed.py")
                found = (moved(finding, right) for finding in found)
            for finding in found:
                tried = confirmer.confirm(finding)
                assert tried.confirmation is not None
                counts[finding.certainty.value, tried.confirmation.verdict] += 1
                if options.list:
                    tell(tried)
    for (certainty, verdict), number in sorted(counts.items()):
        print(f"{certainty:8} {verdict:10} {number}")


if __name__ == "__main__":
    main()
