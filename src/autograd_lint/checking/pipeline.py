"""The pipeline: from files to findings."""

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from autograd_lint import disk
from autograd_lint.checking.checked import Checked, places_of, unique, unreadable
from autograd_lint.checking.machinery import Machinery, standard_machinery
from autograd_lint.checking.silencing import Silencer
from autograd_lint.checking.troubles import crashed, too_costly, too_large, too_new
from autograd_lint.checking.watchdog import SECONDS, computed, limited
from autograd_lint.configuration.governing import Governing
from autograd_lint.configuration.pythons import newer_python, newer_syntax
from autograd_lint.configuration.selection import PARSE_ERROR
from autograd_lint.configuration.settings import Settings
from autograd_lint.engine.faults import Fault
from autograd_lint.errors import TooCostly, Trouble
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.project import (
    cells,
    code_blocks,
    gate,
    notebooks,
    reading,
    stamps,
)
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.vm.budget import ELSEWHERE

_SHORT = 1_000  # steps that the runs over a changed file take at least, where there are so many
_TRIES_ELSEWHERE = 6  # runs of a file for the sake of fixes in those that it imports


class Checker:
    """Checks sources with one set of settings; files of the project are read as imports ask.

    It lives for one run: what it knows of the disk is not looked up twice. `spoilt` says that a
    check was broken off in the middle: what was half done is not to be built upon.
    """

    def __init__(
        self,
        settings: Governing,
        project: Project,
        machinery: Callable[[], Machinery] = standard_machinery,
    ) -> None:
        self._governing = settings
        self._sources: set[str] = set()
        self.project = project
        self._make = machinery
        self._stamps = stamps.Stamps()
        self._dates = True
        self.spoilt = False

    @cached_property
    def machinery(self) -> Machinery:
        """The interpreter and the rules."""
        return self._make()

    @cached_property
    def _prover(self) -> "Checker":
        """What checks where fixes lead: which versions of torch that holds for nobody asks."""
        prover = copy(self)
        prover._dates = False
        return prover

    def file(self, path: Path, most: int | None = None) -> Checked:
        """Check one file; what cannot be read, and a crash, become the result's `trouble`.

        After `most` steps of its analysis no definition is begun any more.
        """
        try:
            data = disk.read(path, piped=True)
        except OSError as error:
            return Checked(str(path), trouble=unreadable(path, error))
        self.project.trail.clear()
        self._sources.clear()
        checked = self.data(data, str(path), most)
        configured = map(stamps.stamp_of, self._sources)
        trail = (*self._stamps.of_all(self.project.trail), *configured)
        return replace(checked, trail=tuple(sorted(trail)))

    def settings(self, filename: str) -> Settings:
        """The settings of a file; the files that decide them are noted."""
        name = cells.file_of(filename)
        self._sources.update(self._governing.sources(name))
        return self._governing.of(name)

    def data(self, data: bytes, filename: str, most: int | None = None) -> Checked:
        """Check the bytes of a file; of the fixes those stay that hold when they are tried."""
        begun = computed()
        try:
            with limited():
                checked = self.untried(data, filename, most)
        except TooCostly:
            self.spoilt = True
            return Checked(filename, trouble=too_costly(filename))
        if all(finding.fix is None for finding in checked.findings):
            return checked
        try:
            with limited(max(1, SECONDS - (computed() - begun))):
                return self._with_fixes(checked, data, filename)
        except TooCostly:
            self.spoilt = True
            return replace(checked, findings=tuple(map(_unfixed, checked.findings)))

    def _with_fixes(self, checked: Checked, data: bytes, filename: str) -> Checked:
        by_file: dict[str, list[Finding]] = {}
        for finding in checked.findings:
            by_file.setdefault(_file(finding), []).append(finding)
        tried = (
            self._tried(found, name, data, filename) if _offers(found, filename) else found
            for name, found in by_file.items()
        )
        findings = sorted((one for found in tried for one in found), key=_order)
        return replace(checked, findings=tuple(findings))

    def _tried(
        self, found: Sequence[Finding], name: str, data: bytes, filename: str
    ) -> Sequence[Finding]:
        """The findings in a file that the run of `filename` shows, with the fixes that hold."""
        from autograd_lint.fixes.applying import proven

        most = _far_enough(found)
        with self.project.unchanged(name):
            if name == filename:
                return proven(data, filename, found, partial(self.again, filename, most=most))
            again = partial(self._again_by, data, filename, name, most=most)
            try:
                before = disk.read(name)
                return proven(before, name, found, again, tries=_TRIES_ELSEWHERE)
            except (OSError, *reading.UNREADABLE):
                return [replace(one, fix=None) for one in found]

    def _again_by(
        self, data: bytes, filename: str, name: str, changed: bytes, most: int
    ) -> list[Finding] | None:
        """What the run of a file shows in another one that has changed; None where it cannot."""
        self.project.adopt(reading.decode(changed, name))
        checked = self._prover.untried(data, filename, most)
        return [one for one in checked.findings if one.place.filename == name]

    def again(self, filename: str, data: bytes, most: int | None = None) -> list[Finding] | None:
        """The findings in other bytes for a file, its own alone; None where that cannot be, or
        where Python ends such a program: what stands behind that was not looked at. After `most`
        steps no definition is begun any more."""
        checked = self._prover.untried(data, filename, most)
        if checked.trouble or checked.broken:
            return None
        return [one for one in checked.findings if _file(one) == filename]

    def untried(self, data: bytes, filename: str, most: int | None = None) -> Checked:
        """Check the bytes of a file, without a look at what its fixes would lead to."""
        if not gate.lets_through(data, filename, self.project):
            return Checked(filename)
        try:
            if cells.is_notebook(filename):
                notebook = notebooks.read(data, filename)
                return self._guarded(filename, lambda: self.notebook(notebook, most))
            if code_blocks.is_markdown(filename):
                blocks = code_blocks.of_markdown(reading.decode(data, filename))
                return self._guarded(filename, lambda: self.blocks(blocks, most))
            source = self.project.known(reading.decode(data, filename))
            return self._guarded(filename, lambda: self._with_examples(source, most))
        except reading.UNREADABLE as error:
            # What does not speak of torch is none of our business until it can be run.
            return (
                self._unparsed(filename, error) if gate.mentions_torch(data) else Checked(filename)
            )

    def _guarded(self, filename: str, check: Callable[[], Checked]) -> Checked:
        try:
            return check()
        except Trouble as trouble:  # with the settings of a file that imports lead to
            return Checked(filename, trouble=str(trouble))
        except Exception as error:
            return Checked(filename, trouble=crashed(filename, error))

    def notebook(self, notebook: notebooks.Notebook, most: int | None = None) -> Checked:
        """Check the cells of a notebook, in order as one program; raises as `source` does.

        A cell that cannot be parsed is a finding, and the others are checked without it.
        """
        checked = self.source(Source(notebook.filename, notebook.text, notebook.ends), most)
        moved = notebook.moved
        broken = self._wanted(notebook.broken)
        return replace(
            checked,
            findings=tuple(unique((*map(moved, checked.findings), *broken))),
            variants=tuple(map(moved, checked.variants)),
        )

    def blocks(self, blocks: code_blocks.Blocks, most: int | None = None) -> Checked:
        """Check a program in blocks of code; raises as `source` does."""
        checked = self.source(blocks.source, most)
        return replace(
            checked,
            findings=tuple(map(blocks.moved, checked.findings)),
            variants=tuple(map(blocks.moved, checked.variants)),
        )

    def _with_examples(self, source: Source, most: int | None) -> Checked:
        """Check one source, and the examples in its docstrings where the settings say so."""
        checked = self.source(source, most)
        if not self.settings(source.filename).code_blocks or source.filename.endswith(".pyi"):
            return checked
        if any(one.code == PARSE_ERROR for one in checked.findings):
            return checked
        shown = [self.blocks(one, most) for one in code_blocks.of_docstrings(source)]
        if shown:
            self.project.adopt(source)
        found = (replace(one, fix=None) for more in shown for one in more.findings)
        return replace(checked, findings=tuple(unique((*checked.findings, *found))))

    def source(self, source: Source, most: int | None = None) -> Checked:
        """Check one source; raises whatever the analysis raises."""
        if excess := reading.excess(source.text):
            return Checked(source.filename, trouble=too_large(source.filename, excess))
        with warnings.catch_warnings():
            # The parser warns about the user's string escapes; they are not our subject.
            warnings.simplefilter("ignore")
            try:
                _ = source.tree
            except reading.UNREADABLE as error:
                return self._unparsed(source.filename, error)
            self.project.adopt(source)
            coverage = self.settings(source.filename).coverage
            analysed = self.machinery.analyse(source, self.project, most, coverage)
            found: Sequence[Finding] = list(self._judged(analysed.faults, source))
            if self._dates:
                found = self._dated(found, source, most, analysed.asked)
        silencer = Silencer(self, source)
        kept = [one for one in map(silencer.placed, found) if one is not None]
        kept += self._wanted(silencer.unused())
        findings = unique(kept)
        return Checked(
            source.filename,
            tuple(findings),
            tuple(one for one in kept if one not in findings),
            analysed.steps,
            suppressed=silencer.suppressed,
            used=silencer.used_elsewhere(),
            left_out=analysed.left_out,
            coverage=analysed.coverage(source) if coverage else None,
            broken=analysed.broken,
        )

    def _dated(
        self,
        found: Sequence[Finding],
        source: Source,
        most: int | None,
        asked: Collection[str] | None,
    ) -> Sequence[Finding]:
        """The findings, with the versions of torch that they hold for where that is not all."""
        target = self.project.target
        if target is None or not any(map(self.wants, found)):
            return found
        from autograd_lint.analysis import analysed
        from autograd_lint.checking.since import dated

        def again(version: str) -> list[Finding]:
            with self.project.aimed_at(version):
                return list(self._judged(analysed(source, self.project, most).faults, source))

        files = {place.filename: place for one in found for place in places_of(one)}
        texts = [self.source_of(place, source).text for place in files.values()]
        return dated(found, target, "\n".join((source.text, *texts)), asked, again)

    def _unparsed(self, filename: str, error: BaseException) -> Checked:
        newer = None
        if isinstance(error, SyntaxError):
            newer = newer_syntax(error.text or "") or newer_python(self.project.roots)
        if newer is not None:
            return Checked(filename, trouble=too_new(filename, newer))
        found = [reading.parse_error(filename, error)]
        return Checked(filename, tuple(self._wanted(found)))

    def _judged(self, faults: Iterable[Fault], source: Source) -> Iterator[Finding]:
        for fault in faults:
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
        if not finding.certainty.at_least(self.settings(finding.place.filename).certainty):
            return False
        return self.selects(finding.code, finding.name, finding.place.filename)

    def selects(self, code: str, name: str, filename: str) -> bool:
        """Whether the findings of a rule are to be shown in a file."""
        settings = self.settings(filename)
        selection = settings.selection
        silenced = settings.ignored_in(filename)
        if silenced:
            selection = replace(selection, ignore=(*selection.ignore, *silenced))
        if code == PARSE_ERROR:
            return selection.allows(code, name)
        codes = self.machinery.codes()
        if code in codes.preview and not settings.preview:
            return False
        return selection.allows(code, name, code not in codes.off_by_default)


def check_source(
    source: Source,
    settings: Governing,
    project: Project | None = None,
    machinery: Callable[[], Machinery] = standard_machinery,
) -> list[Finding]:
    """The findings in one source; without a project its imports lead nowhere."""
    return list(Checker(settings, project or Project.alone(), machinery).source(source).findings)


def _offers(found: Iterable[Finding], filename: str) -> bool:
    """Whether there are fixes to try: not of what a run shows in other files and is not told."""
    fixed = (one for one in found if one.fix is not None)
    return any(_file(one) == filename or one.steps < ELSEWHERE for one in fixed)


def _file(finding: Finding) -> str:
    return cells.file_of(finding.place.filename)


def _far_enough(found: Iterable[Finding]) -> int:
    """How many steps show whether fixes hold: half as many again as showed what they mend, for a
    fix may add to them, and in short programs what comes behind as well."""
    shown = max(finding.steps for finding in found if finding.fix is not None)
    return max(_SHORT, shown * 3 // 2)


def _order(finding: Finding) -> tuple[Place, str]:
    """What findings are sorted by."""
    return finding.place, finding.code


def _unfixed(finding: Finding) -> Finding:
    return replace(finding, fix=None)
