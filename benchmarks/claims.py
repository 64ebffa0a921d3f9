"""What the linter claims about a file, in one form for rules' findings and for raw faults."""

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograd_lint.configuration.settings import Settings
from autograd_lint.engine.faults import Fault
from autograd_lint.evidence.wording import worded
from autograd_lint.findings import Certainty, Finding
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

CRASH = "crash"


@dataclass(frozen=True)
class Claim:
    """One claim: the kind of error (None for a pitfall that raises nothing), where, how sure.

    `row` is a row of `filename`, `raise_row` where the error is predicted, `rows` every row of the
    file asked about that the claim points at. A crash of the analysis is a claim of the kind
    `crash`.
    """

    code: str
    kind: str | None
    raise_row: int | None
    row: int
    rows: frozenset[int]
    certainty: str
    text: str
    filename: str


def claims(
    path: Path, raw: bool = False, root: Path | None = None, *, importers: bool = False
) -> list[Claim]:
    """The claims about one file that are at least likely; `raw` asks the interpreter alone.

    `root` is the project whose other files may be read; None: the file stands alone. With
    `importers` the runs of those that import the file count, as they do for `check FILE`. A crash
    or 60 seconds without an answer become one claim of the kind `crash`.
    """
    source = Source(str(path), path.read_text(encoding="utf-8", errors="replace"))
    try:
        with time_limit(60):
            project = Project([root]) if root else Project.alone()
            if raw:
                return _of_faults(source, project)
            told = findings(source, project, importers=importers)
            return [_claim(finding, source) for finding in told]
    except Exception:
        told = traceback.format_exc(-4)
        return [Claim(CRASH, CRASH, None, 0, frozenset(), "certain", told, str(path))]


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raises TimeoutError in the block when it lasts longer than that."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"no answer in {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def findings(
    source: Source, project: Project, *, importers: bool, least: Certainty = Certainty.LIKELY
) -> list[Finding]:
    """The findings about one file that are at least so sure; with `importers` the runs of those
    that import it count."""
    from autograd_lint.checking.checked import unique
    from autograd_lint.checking.gathering import Gathering
    from autograd_lint.checking.pipeline import Checker

    checker = Checker(Settings(certainty=least), project)
    checked = checker.source(source)
    found = list(checked.findings)
    if importers:
        gathering = Gathering(lambda _: project, checker.file)
        gathering.add(checked)
        found += [finding for shown in gathering.found() for finding in shown.findings]
    return unique(finding for finding in found if finding.certainty.at_least(least))


def _claim(finding: Finding, source: Source) -> Claim:
    places = [finding.place, *(related.place for related in finding.related)]
    predicts = finding.predicts
    return Claim(
        finding.code,
        predicts.error if predicts else None,
        predicts.row if predicts else None,
        finding.place.row,
        _rows(places, source),
        finding.certainty.value,
        f"{finding.name}: {finding.message}",
        finding.place.filename,
    )


def _of_faults(source: Source, project: Project) -> list[Claim]:
    from autograd_lint.analysis import analyse

    return [_claim_of(fault, source) for fault in analyse(source, project) if fault.weight <= 1]


def _claim_of(fault: Fault, source: Source) -> Claim:
    from autograd_lint.rules.registry import primary_place

    events = (fault.built, fault.saved, fault.modified, fault.freed, fault.needed)
    places = [fault.place, *(event.place for event in events if event)]
    certainty = "likely" if fault.assumptions else "certain"
    row = fault.place.row if fault.place else None
    primary = primary_place(fault)
    assumed = "; ".join(sorted(worded(assumption) for assumption in fault.assumptions))
    text = f"tensor={fault.tensor} operator={fault.operator} {fault.detail} ({assumed})"
    rows = _rows([place for place in places if place], source)
    filename = primary.filename if primary else source.filename
    first = primary.row if primary else 0
    return Claim("-", fault.kind.value, row, first, rows, certainty, text, filename)


def _rows(places: list[Place], source: Source) -> frozenset[int]:
    """The rows of the places in this file."""
    mine = [place for place in places if place.filename == source.filename]
    return frozenset(row for place in mine for row in range(place.row, place.end_row + 1))
