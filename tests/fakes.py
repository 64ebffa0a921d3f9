"""Stand-ins for the interpreter and the rules, so that the pipeline is tested by itself."""

from collections.abc import Callable
from pathlib import Path

from autograd_lint.analysis import Analysed
from autograd_lint.checking.machinery import Codes, Machinery
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Certainty, Finding
from autograd_lint.places import Place
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

BAD = "bad()"
NAMES = {
    "AG101": "leaf-modified",
    "AG103": "saved-tensor-modified",
    "AG902": "unused-suppression",
}


def bad_places(source: Source) -> list[Place]:
    """The places at which a source says `bad()`."""
    found = ((row, line.find(BAD)) for row, line in enumerate(source.lines, 1))
    name = source.filename
    return [Place(name, row, at + 1, row, at + len(BAD) + 1) for row, at in found if at >= 0]


def analyse(
    source: Source, project: Project, most: int | None = None, coverage: bool = False
) -> Analysed:
    """A fault wherever a source says `bad()`."""
    return Analysed([Fault(FaultKind.LEAF_MODIFIED, place) for place in bad_places(source)])


def finding_at(
    place: Place, code: str = "AG101", name: str = "leaf-modified", **more: object
) -> Finding:
    """A finding at `place`."""
    return Finding(code, name, "a leaf is modified", place, noqa_row=place.row, **more)  # type: ignore[arg-type]


def judge(fault: Fault, source: Source) -> Finding | None:
    """A finding for each fault."""
    return finding_at(fault.place) if fault.place else None


def machinery(
    analyse: Callable[[Source, Project, int | None], Analysed] = analyse,
    judge: Callable[[Fault, Source], Finding | None] = judge,
    off_by_default: frozenset[str] = frozenset(),
    names: dict[str, str] | None = None,
    preview: frozenset[str] = frozenset(),
) -> Callable[[], Machinery]:
    """What a checker takes for its machinery."""
    codes = Codes(names or NAMES, off_by_default, preview)
    made = Machinery(analyse, lambda fault: fault.place, judge, lambda: codes)
    return lambda: made


def likely(fault: Fault, source: Source) -> Finding | None:
    """A finding for each fault that is only likely."""
    assert fault.place is not None
    return finding_at(fault.place, certainty=Certainty.LIKELY)


def write_tree(root: Path, files: dict[str, str]) -> None:
    """Write files, by their path below `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
