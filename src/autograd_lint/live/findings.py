"""From the faults of a run to findings, by the same rules that judge the abstract engine's."""

import linecache
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.project.reading import UNREADABLE, decode
from autograd_lint.project.source import Source
from autograd_lint.rules.registry import judge, primary_place


def findings_of(faults: Iterable[Fault]) -> list[Finding]:
    """The findings, each once, in the order in which the faults arose."""
    found: dict[Finding, None] = {}
    for fault in faults:
        finding = finding_of(fault)
        if finding is not None:
            found[finding] = None
    return list(found)


def finding_of(fault: Fault) -> Finding | None:
    """The finding for one fault; None where no rule takes it or it has no place."""
    place = primary_place(fault)
    if place is None:
        return None
    finding = judge(fault, _source(place))
    if finding is None:
        return None
    if fault.modified is not None and not fault.modified.bumped:
        return replace(finding, predicts=None)  # nothing raises
    return finding


def _source(place: Place) -> Source:
    try:
        return decode(Path(place.filename).read_bytes(), place.filename)
    except (OSError, *UNREADABLE):  # a notebook's cell has no file
        return Source(place.filename, "".join(linecache.getlines(place.filename)))
