"""Checks programs as they stand in the editor; what imports lead to is kept from check to check."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from autograd_lint.analysis import analysed
from autograd_lint.analysis.import_cache import Kept
from autograd_lint.checking.checked import Checked, unique
from autograd_lint.checking.desk import settings_of
from autograd_lint.checking.gathering import Gathering
from autograd_lint.checking.machinery import Machinery, standard_machinery
from autograd_lint.checking.pipeline import Checker
from autograd_lint.checking.target import target_of
from autograd_lint.configuration.settings import Settings
from autograd_lint.errors import Trouble
from autograd_lint.findings import Finding
from autograd_lint.project import reading
from autograd_lint.project.modules import Project, State
from autograd_lint.project.renewing import renewed
from autograd_lint.project.roots import Home, Homes
from autograd_lint.project.source import Source
from autograd_lint.server.configuring import Configuration
from autograd_lint.server.holding import held, is_broken
from autograd_lint.server.programs import Program
from autograd_lint.vm.budget import ELSEWHERE

Wanted = Callable[[], bool]
"""Whether the result of a check is still wanted."""


@dataclass(frozen=True)
class Result:
    """What was found in a program as it stood.

    `lines` are those of every file that a finding speaks of, `trail` the files that imports asked
    for, `troubles` what went wrong. `held` is what was found while the text could still be parsed.
    """

    program: Program
    findings: tuple[Finding, ...] = ()
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)
    trail: frozenset[str] = frozenset()
    troubles: tuple[str, ...] = ()
    held: tuple[Finding, ...] = ()


class Checking:
    """Checks one program at a time; not for use in several threads at once."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._opened: dict[str, Source] = {}
        self._projects: dict[Home, Project] = {}
        self._named: dict[Home, str | None] = {}  # the torch that settings named for a project
        self._kept: dict[str, Kept] = {}
        self._whole: dict[str, tuple[Program, tuple[Finding, ...]]] = {}
        self._importers: dict[str, tuple[State, Checked | None]] = {}

    def close(self, filename: str) -> None:
        """From now on imports of the file lead to what is on disk."""
        self._opened.pop(filename, None)
        self._kept.pop(filename, None)
        self._whole.pop(filename, None)

    def forget(self) -> None:
        """Read projects anew: a check was broken off, and nothing is to be built on its half."""
        self._projects.clear()
        self._kept.clear()
        self._importers.clear()

    def check(self, program: Program, wanted: Wanted) -> Result:
        """The findings in a program; raises Dropped once they are not wanted any more, and whatever
        the analysis raises."""
        self._open(program)
        settings = self._configuration.of(program.filename)
        trouble = self._configuration.trouble(program.filename)
        troubles = (trouble,) if trouble else ()
        enabled = self._configuration.preferences.enable
        if not enabled or not program.torch or settings.excludes(program.filename):
            return Result(program, troubles=troubles)
        project = self._project(program)
        project.trail.clear()
        checked = self._checked(
            program, Checker(self._configuration, project, self._machinery(program, wanted))
        )
        found = Result(program, checked.findings, {}, frozenset(project.trail), troubles)
        return self._holding(self._told(found, settings, project))

    def _holding(self, result: Result) -> Result:
        """A result with what was found before its text could not be parsed any more."""
        program = result.program
        if not is_broken(program, result.findings):
            self._whole[program.filename] = program, result.findings
            return result
        if program.filename not in self._whole:
            return result
        before, found = self._whole[program.filename]
        return replace(result, held=held(before, found, program, result.findings))

    def with_importers(self, result: Result, wanted: Wanted) -> Result:
        """A result with what importers of its file show there as well; raises as `check`.

        What is open is left out: it tells of itself.
        """
        program = result.program
        settings = self._configuration.of(program.filename)
        enabled = self._configuration.preferences.enable
        if program.is_notebook or result.held or not enabled or settings.excludes(program.filename):
            return result
        project = self._project(program)
        gathering = Gathering(lambda _: project, partial(self._importer, project, wanted))
        for name in {program.filename, *self._opened}:
            gathering.add(Checked(name))
        project.trail.clear()
        shown = [one for found in gathering.of(program.filename) for one in found.findings]
        together = unique((*result.findings, *shown))
        trail = result.trail | frozenset(project.trail)
        return self._told(replace(result, findings=tuple(together), trail=trail), settings, project)

    def _importer(self, project: Project, wanted: Wanted, path: Path) -> Checked:
        """What the runs over an importer show, which are made anew where something has changed."""
        name = str(path)
        state, checked = self._importers.get(name, (State(), None))
        if checked is None or not project.stands(state):
            before, project.trail = project.trail, set()
            machinery = replace(self._standard, analyse=partial(analysed, wanted=wanted))
            checked = Checker(self._configuration, project, lambda: machinery).file(path, ELSEWHERE)
            state = project.state(frozenset(project.trail) | {name})
            project.trail = before
            self._importers[name] = state, checked
        project.trail |= state.paths
        return checked

    def _told(self, result: Result, settings: Settings, project: Project) -> Result:
        """A result without what the baseline knows, with the lines that its findings speak of."""
        lines = {name: _lines(name, result.program, project) for name in _names(result.findings)}
        try:
            findings = tuple(_fresh(result.findings, settings, lines))
        except Trouble as unread:
            troubles = (*result.troubles, str(unread))
            return replace(result, lines=lines, troubles=troubles)
        return replace(result, findings=findings, lines=lines)

    def findings_in(self, program: Program, data: bytes) -> list[Finding] | None:
        """The findings in other bytes for the file of a program; None where that cannot be."""
        checker = Checker(self._configuration, self._project(program), lambda: self._standard)
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
        home = Homes().of(path.parent)
        named = self._configuration.of(program.filename).target_torch
        if self._named.setdefault(home, named) != named:
            self._named[home] = named
            self.forget()
        if home not in self._projects:
            own = settings_of(self._configuration, home)
            target = partial(self._version, home)
            self._projects[home] = Project.of(home, own.models, self._opened, own.facts, target)
        self._projects[home].renew()
        return self._projects[home]

    def _version(self, home: Home) -> str:
        return target_of(self._configuration, home).version

    def _machinery(self, program: Program, wanted: Wanted) -> Callable[[], Machinery]:
        kept = self._kept.setdefault(program.filename, Kept())
        return lambda: replace(self._standard, analyse=partial(analysed, wanted=wanted, kept=kept))

    @cached_property
    def _standard(self) -> Machinery:
        return standard_machinery()


def _fresh(
    findings: Sequence[Finding], settings: Settings, lines: Mapping[str, Sequence[str]]
) -> list[Finding]:
    """The findings that the baseline does not know; raises Trouble where it is none."""
    if not settings.baseline:
        return list(findings)
    from autograd_lint.checking import baseline

    known = settings.baseline
    return baseline.new(known.path, findings, known.root, lambda name: lines.get(name, ()))


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
