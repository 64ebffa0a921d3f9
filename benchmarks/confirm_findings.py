"""What the real engine says of the linter's findings: verdicts by certainty.

    python -m benchmarks.confirm_findings FILES... [--random N] [--root FOLDER] [--list]

Each finding in FILES is tried as `check --confirm` tries it; `--random N` adds N random programs.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from autograd_lint.check import Checker
from autograd_lint.config import Settings
from autograd_lint.findings import Finding
from autograd_lint.live.confirm.confirm import Confirmer
from autograd_lint.project.modules import Project
from autograd_lint.project.roots import root_of


def findings(file: Path) -> Iterator[Finding]:
    """The findings in one file, the project around it at hand."""
    checker = Checker(Settings(), Project((root_of(file),)))
    yield from checker.file(file).findings


def random_files(count: int, folder: Path) -> Iterator[Path]:
    """Random programs as files."""
    from tests.truth.generate import generate

    for number, (program, _) in enumerate(generate(count, seed=7)):
        own = folder / str(number)
        own.mkdir()
        (own / "program.py").write_text(program.text)
        if program.parts:
            (own / "parts.py").write_text(program.parts)
        yield own / "program.py"


def tell(finding: Finding) -> None:
    """One line about a finding."""
    verdict = finding.confirmation
    assert verdict is not None
    place = f"{finding.place.filename}:{finding.place.row}"
    said = f"{verdict.verdict:10} {finding.certainty.value:8} {finding.code} {place}"
    print(f"{said} | {next(iter(verdict.assumptions), None)} | {(verdict.reason or '')[:160]}")


def main() -> None:
    """Confirm everything and count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        files = [file.resolve() for file in options.files]
        files += random_files(options.random, Path(folder))
        for file in files:
            with Confirmer(root=str(root_of(file))) as confirmer:
                for finding in findings(file):
                    tried = confirmer.confirm(finding)
                    assert tried.confirmation is not None
                    counts[finding.certainty.value, tried.confirmation.verdict] += 1
                    if options.list:
                        tell(tried)
    for (certainty, verdict), number in sorted(counts.items()):
        print(f"{certainty:8} {verdict:10} {number}")


if __name__ == "__main__":
    main()
