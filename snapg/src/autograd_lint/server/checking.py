"""Checks programs as they stand in the editor; what imports lead to is kept from check to check."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from autograd_lint.check import Checker, Machinery
from autograd_lint.checked import Checked
from autograd_lint.config import Settings
from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding
from autograd_lint.interpreter import analyse
from autograd_lint.interpreter.runs.keeping import Kept
from autograd_lint.machinery import standard_machinery
from autograd_lint.project import reading
from autograd_lint.project.modules import Project
from autograd_lint.project.renewing import renewed
from autograd_lint.project.roots import root_of, speaking_of
from autograd_lint.project.source import Source
from autograd_lint.server.configuring import Configuration, excluded
from autograd_lint.server.programs import Program

Wanted = Callable[[], bool]
"""Whether the result of a check is still wanted."""


@dataclass(frozen=True)
class Result:
    """What was found in a program as it stood.

    `lines` are those of every file that a finding speaks of, `trail` the files that imports asked
    for, `troubles` what went wrong.
    """

    program: Program
    findings: tuple[Finding, ...] = ()
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)
    trail: frozenset[str] = frozenset()
    troubles: tuple[str, ...] = ()


class Checking:
    """Checks one program at a time; not for use in several threads at once."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._opened: dict[str, Source] = {}
        self._projects: dict[Path, Project] = {}
        self._kept: dict[str, Kept] = {}

    def close(self, filename: str) -> None:
        """From now on imports of the file lead to what is on disk."""
        self._opened.pop(filename, None)
        self._kept.pop(filename, None)

    def check(self, program: Program, wanted: Wanted) -> Result:
        """The findings in a program; raises Dropped once they are not wanted any more, and whatever
        the analysis raises."""
        self._open(program)
        settings, trouble = self._configuration.of(program.filename)
        troubles = (trouble,) if trouble else ()
        enabled = self._configuration.preferences.enable
        if not enabled or not program.torch or excluded(settings, program.filename):
            return Result(program, troubles=troubles)
        project = self._project(program)
        project.trail.clear()
        checked = self._checked(
            program, Checker(settings, project, self._machinery(program, wanted))
        )
        trail = frozenset(project.trail)
        lines = {name: _lines(name, program, project) for name in _names(checked.findings)}
        try:
            findings = _fresh(checked.findings, settings, lines)
        except Trouble as unread:
            findings, troubles = list(checked.findings), (*troubles, str(unread))
        return Result(program, tuple(findings), lines, trail, troubles)

    def findings_in(self, program: Program, data: bytes) -> list[Finding] | None:
        """The findings in other bytes for the file of a program; None where that cannot be."""
        settings, _ = self._configuration.of(program.filename)
        checker = Checker(settings, self._project(program), lambda: self._standard)
        return checker.again(program.filename, data)

    def _open(self, program: Program) -> None:
        """Let imports of a file lead to its text here; while it does not parse, to the last one."""
        if program.is_notebook:
            return
        before, text = self._opened.get(program.filename), program.parts[0].text
        if before is not None and before.text == text:
            return
        try:
            source = renewed(before, text) if before else Source(program.filename, text)
            _ = source.tree
        except reading.UNREADABLE:
            return
        self._opened[program.filename] = source

    def _checked(self, program: Program, checker: Checker) -> Checked:
        if program.is_notebook:
            return checker.notebook(program.notebook())
        text = program.parts[0].text
        opened = self._opened.get(program.filename)
        if opened is None or opened.text != text:
            opened = Source(program.filename, text)  # it does not parse
        return checker.source(opened)

    def _project(self, program: Program) -> Project:
        path = Path(program.filename)
        if not path.is_absolute():
            return Project.alone()
        folder = speaking_of(path)
        if folder not in self._projects:
            self._projects[folder] = Project((root_of(path),), self._opened, (folder,))
        self._projects[folder].renew()
        return self._projects[folder]

    def _machinery(self, program: Program, wanted: Wanted) -> Callable[[], Machinery]:
        kept = self._kept.setdefault(program.filename, Kept())
        return lambda: replace(self._standard, analyse=partial(analyse, wanted=wanted, kept=kept))

    @cached_property
    def _standard(self) -> Machinery:
        return standard_machinery()


def _fresh(
    findings: Sequence[Finding], settings: Settings, lines: Mapping[str, Sequence[str]]
) -> list[Finding]:
    """The findings that the baseline does not know; raises Trouble where it is none."""
    if not settings.baseline:
        return list(findings)
    from autograd_lint import baseline

    path = Path(settings.baseline)
    return baseline.new(path, findings, settings.root, lambda name: lines.get(name, ()))


def _names(findings: Iterable[Finding]) -> set[str]:
    places = [place for one in findings for place in (one.place, *(r.place for r in one.related))]
    edited = [edit.place for one in findings if one.fix for edit in one.fix.edits]
    return {place.filename for place in (*places, *edited)}


def _lines(name: str, program: Program, project: Project) -> Sequence[str]:
    """The lines of a file or cell; none where it cannot be read."""
    part = program.named(name)
    if part is not None:
        return part.lines
    source = project.file(name)
    return source.lines if source is not None else ()
