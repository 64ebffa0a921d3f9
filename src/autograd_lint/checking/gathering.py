"""What the runs of other files show in the files that are checked.

A fault lies where it has to be fixed, and that may be in another file than the one whose run shows
it: in what a script imports. So the findings of a file are those of its own runs, and those with a
place in it that the runs of its nearest importers show, each as far as a budget of steps goes.
Importers that are not to be checked are run for that. What is told of a file is the same whichever
files are checked: of what a run shows in another file only that counts for which it would be run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint.checking.checked import Checked, before, places_of, unique
from autograd_lint.project.cells import file_of
from autograd_lint.vm.budget import ELSEWHERE

if TYPE_CHECKING:  # A run on files that the gate rejects has nothing to gather.
    from autograd_lint.facts.ways_to_files import WaysTo
    from autograd_lint.findings import Finding
    from autograd_lint.project.importers import Importers
    from autograd_lint.project.modules import Project


@dataclass
class Gathering:
    """Gathers what importers show of the files that are checked.

    `project` gives the project of a file, `run` the result for an importer that is not checked
    anyway, which may be limited to what begins in the first `ELSEWHERE` steps. `elsewhere` are
    files that another process checks, which tells what their runs show.
    """

    project: Callable[[Path], Project]
    run: Callable[[Path], Checked]
    elsewhere: Set[str] = frozenset()
    _named: dict[str, Checked] = field(default_factory=dict)
    _others: dict[str, Checked] = field(default_factory=dict)
    _importers: dict[Project, Importers] = field(default_factory=dict)
    _nearest: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _ways: dict[str, WaysTo] = field(default_factory=dict)
    _whole: dict[Project, bool] = field(default_factory=dict)

    def add(self, checked: Checked) -> None:
        """Take note of a file that was checked."""
        self._named[checked.filename] = checked

    def found(self) -> Iterator[Checked]:
        """What importers show in the files that were checked, each by itself."""
        for name, checked in self._named.items():
            if not checked.trouble:
                yield from self.of(name)
        used = tuple(one for checked in self._others.values() for one in checked.used)
        if used:
            yield Checked("", used=used)

    def of(self, name: str) -> Iterator[Checked]:
        """What importers show in one of them, if anything."""
        alone = _is_imported(name) and not self._is_whole(self.project(Path(name)))
        found = tuple(self._shown(name)) if alone else ()
        if found:
            yield Checked(name, found)

    def _shown(self, name: str) -> Iterator[Finding]:
        """The findings with a place in a file that importers show which are not checked."""
        for importer in self._importers_of(name):
            if importer in self.elsewhere or importer in self._named:
                continue
            if not self._comes(importer, name):
                continue
            for finding in before(self._other(importer), ELSEWHERE):
                if any(place.filename == name for place in places_of(finding)):
                    yield finding

    def _comes(self, importer: str, name: str) -> bool:
        """Whether what is run of an importer may come to a file: else it shows nothing there."""
        if name not in self._ways:
            from autograd_lint.facts.ways_to_files import WaysTo

            importers = frozenset(self._importers_of(name))
            self._ways[name] = WaysTo.of(name, importers, self.project(Path(name)))
        return self._ways[name].may_begin_in(importer)

    def near(self, checked: Checked) -> Checked:
        """A result without what the runs of its file show in files that are far from it."""
        own = [one for one in checked.findings if _file(one) == checked.filename]
        if len(own) == len(checked.findings):
            return checked
        others = (one for one in before(checked, ELSEWHERE) if _file(one) != checked.filename)
        kept = [one for one in others if checked.filename in self._importers_of(_file(one))]
        return replace(checked, findings=tuple(unique([*own, *kept])))

    def _is_whole(self, project: Project) -> bool:
        """Whether all files of a project are checked."""
        if project not in self._whole:
            self._whole[project] = project.names() <= self._named.keys() | self.elsewhere
        return self._whole[project]

    def _other(self, importer: str) -> Checked:
        if importer not in self._others:
            self._others[importer] = self.run(Path(importer))
        return self._others[importer]

    def _importers_of(self, name: str) -> tuple[str, ...]:
        """The nearest importers of a file."""
        if name not in self._nearest:
            project = self.project(Path(name))
            if project not in self._importers:
                from autograd_lint.project.importers import Importers

                self._importers[project] = Importers(project)
            self._nearest[name] = tuple(self._importers[project].of(name))
        return self._nearest[name]


def _file(finding: Finding) -> str:
    return file_of(finding.place.filename)


def _is_imported(name: str) -> bool:
    """Whether other files may import this one."""
    return name.endswith(".py") and os.path.isabs(name)
