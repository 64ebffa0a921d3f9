"""The pipeline: from files to findings."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from autograd_lint.checked import Checked, Comment, unique, unreadable
from autograd_lint.config import Settings
from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Finding
from autograd_lint.machinery import standard_machinery
from autograd_lint.places import Place
from autograd_lint.project import cells, gate, notebooks, reading, stamps, suppressions
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.project.suppressions import Suppression
from autograd_lint.selection import PARSE_ERROR


@dataclass(frozen=True)
class Machinery:
    """What finds and judges: the interpreter's analysis, the rules' judgement, the codes of the
    rules that are off by default, and the names of all rules by code."""

    analyse: Callable[[Source, Project], list[Fault]]
    primary_place: Callable[[Fault], Place | None]
    judge: Callable[[Fault, Source], Finding | None]
    off_by_default: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)


class Checker:
    """Checks sources with one set of settings; files of the project are read as imports ask.

    It lives for one run: what it knows of the disk is not looked up twice.
    """

    def __init__(
        self,
        settings: Settings,
        project: Project,
        machinery: Callable[[], Machinery] = standard_machinery,
    ) -> None:
        self.settings = settings
        self.project = project
        self._make = machinery
        self._stamps = stamps.Stamps()

    @cached_property
    def machinery(self) -> Machinery:
        """The interpreter and the rules."""
        return self._make()

    def file(self, path: Path) -> Checked:
        """Check one file; what cannot be read, and a crash, become the result's `trouble`."""
        try:
            data = path.read_bytes()
        except OSError as error:
            return Checked(str(path), trouble=unreadable(path, error))
        self.project.trail.clear()
        checked = self.data(data, str(path))
        return replace(checked, trail=self._stamps.of_all(self.project.trail))

    def data(self, data: bytes, filename: str) -> Checked:
        """Check the bytes of a file; of the fixes those stay that hold when they are tried."""
        checked = self.untried(data, filename)
        if all(finding.fix is None for finding in checked.findings):
            return checked
        from autograd_lint.fixes.applying import proven

        with self.project.unchanged(filename):
            again = partial(self.again, filename)
            return replace(checked, findings=proven(data, filename, checked.findings, again))

    def again(self, filename: str, data: bytes) -> list[Finding] | None:
        """The findings in other bytes for a file, its own alone; None where that cannot be."""
        checked = self.untried(data, filename)
        if checked.trouble:
            return None
        return [one for one in checked.findings if cells.file_of(one.place.filename) == filename]

    def untried(self, data: bytes, filename: str) -> Checked:
        """Check the bytes of a file, without a look at what its fixes would lead to."""
        if not gate.mentions_torch(data):
            return Checked(filename)
        try:
            if cells.is_notebook(filename):
                notebook = notebooks.read(data, filename)
                return self._guarded(filename, lambda: self.notebook(notebook))
            source = self.project.known(reading.decode(data, filename))
            return self._guarded(filename, lambda: self.source(source))
        except reading.UNREADABLE as error:
            return self._unparsed(filename, error)

    def _guarded(self, filename: str, check: Callable[[], Checked]) -> Checked:
        try:
            return check()
        except Exception as error:
            return Checked(filename, trouble=crashed(filename, error))

    def notebook(self, notebook: notebooks.Notebook) -> Checked:
        """Check the cells of a notebook, in order as one program; raises as `source` does."""
        checked = self.source(Source(notebook.filename, notebook.text, notebook.ends))
        return replace(checked, findings=tuple(map(notebook.moved, checked.findings)))

    def source(self, source: Source) -> Checked:
        """Check one source; raises whatever the analysis raises."""
        with warnings.catch_warnings():
            # The parser warns about the user's string escapes; they are not our subject.
            warnings.simplefilter("ignore")
            try:
                _ = source.tree
            except reading.UNREADABLE as error:
                return self._unparsed(source.filename, error)
            self.project.adopt(source)
            found = list(self._judged(source))
        silencer = Silencer(self, source)
        kept = [one for one in map(silencer.placed, found) if one is not None]
        kept += self._wanted(silencer.unused())
        return Checked(
            source.filename,
            tuple(unique(kept)),
            suppressed=silencer.suppressed,
            used=silencer.used_elsewhere(),
        )

    def _unparsed(self, filename: str, error: BaseException) -> Checked:
        found = [reading.parse_error(filename, error)]
        return Checked(filename, tuple(self._wanted(found)))

    def _judged(self, source: Source) -> Iterator[Finding]:
        for fault in self.machinery.analyse(source, self.project):
            place = self.machinery.primary_place(fault)
            if place is None:
                continue
            finding = self.machinery.judge(fault, self.source_of(place, source))
            if finding is not None:
                yield finding

    def source_of(self, place: Place, source: Source) -> Source:
        """The file that a place is in; `source` where it cannot be read."""
        if place.filename == source.filename:
            return source
        return self.project.file(place.filename) or source

    def _wanted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        return (finding for finding in findings if self.wants(finding))

    def wants(self, finding: Finding) -> bool:
        """Whether a finding is certain enough, and its rule is wanted in its file."""
        if not finding.certainty.at_least(self.settings.certainty):
            return False
        return self.selects(finding.code, finding.name, finding.place.filename)

    def selects(self, code: str, name: str, filename: str) -> bool:
        """Whether the findings of a rule are to be shown in a file."""
        selection = self.settings.selection
        silenced = self.settings.ignored_in(filename)
        if silenced:
            selection = replace(selection, ignore=(*selection.ignore, *silenced))
        if code == PARSE_ERROR:
            return selection.allows(code, name)
        on_by_default = code not in self.machinery.off_by_default
        return selection.allows(code, name, on_by_default)


class Silencer:
    """What comments silence of the findings in one source, and in those that it imports."""

    def __init__(self, checker: Checker, source: Source) -> None:
        self._checker = checker
        self._source = source
        self._used: set[tuple[str, Suppression, str]] = set()
        self.suppressed = 0

    def placed(self, finding: Finding) -> Finding | None:
        """The finding with the row that a comment would stand on; None if it is not to be shown."""
        name = finding.place.filename
        row = finding.place.row
        comments = suppressions.around(self._checker.source_of(finding.place, self._source), row)
        placed = replace(finding, noqa_row=comments.noqa_row(row))
        comment = comments.silencing(placed)
        wanted = self._checker.wants(finding)
        if comment is None:
            return placed if wanted else None
        self._used.add((name, comment, finding.code))
        self.suppressed += wanted
        return None

    def unused(self) -> Iterator[Finding]:
        """Findings about comments of the source that silenced nothing."""
        source, checker = self._source, self._checker
        if not suppressions.may_name_codes(source.text):
            return
        from autograd_lint.project.unused import Rules, unused

        def shows(code: str, name: str) -> bool:
            return checker.selects(code, name, source.filename)

        comments = suppressions.read(source)
        used = {(one, code) for name, one, code in self._used if name == source.filename}
        for finding in unused(source, comments, used, Rules(checker.machinery.names, shows)):
            if comments.silencing(finding, by_code=True) is None:
                yield finding

    def used_elsewhere(self) -> tuple[Comment, ...]:
        """The comments of other files that silenced something."""
        others = (used for used in self._used if used[0] != self._source.filename)
        return tuple(sorted({(name, one.row, one.column + 1) for name, one, _ in others}))


def check_source(
    source: Source,
    settings: Settings,
    project: Project | None = None,
    machinery: Callable[[], Machinery] = standard_machinery,
) -> list[Finding]:
    """The findings in one source; without a project its imports lead nowhere."""
    return list(Checker(settings, project or Project.alone(), machinery).source(source).findings)


def crashed(filename: str, error: Exception) -> str:
    """The line about a file whose analysis raised `error`."""
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{filename}: the analysis crashed ({reason}); please report it"
