"""What the runs of other files show in the files that are checked.

A fault lies where it has to be fixed, and that may be in another file than the one whose run shows
it: in what a script imports. So the findings of a file are those of its own runs, and those with a
place in it that the runs of its importers show, the nearest first, as far as a budget of steps
goes. Importers that are not to be checked are run for that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint.checking.checked import Checked, before, places_of

if TYPE_CHECKING:  # A run on files that the gate rejects has nothing to gather.
    from autograd_lint.findings import Finding
    from autograd_lint.project.importers import Importers
    from autograd_lint.project.modules import Project

BUDGET = 6_000  # steps of the runs of importers after which no other is begun, for each file


@dataclass
class Gathering:
    """Gathers what importers show of the files that are checked.

    `project` gives the project of a file, `run` the result for an importer that is not checked
    anyway, which may be limited to what begins in the first `BUDGET` steps. `elsewhere` are files
    that another process checks, which tells what their runs show.
    """

    project: Callable[[Path], Project]
    run: Callable[[Path], Checked]
    elsewhere: Set[str] = frozenset()
    _named: dict[str, Checked] = field(default_factory=dict)
    _others: dict[str, Checked] = field(default_factory=dict)
    _importers: dict[Project, Importers | None] = field(default_factory=dict)

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
        found = tuple(self._shown(name)) if _is_imported(name) else ()
        if found:
            yield Checked(name, found)

    def _shown(self, name: str) -> Iterator[Finding]:
        """The findings with a place in a file that importers show which are not checked."""
        begun = 0
        for importer in self._importers_of(name):
            if begun >= BUDGET:
                return
            if importer in self.elsewhere:
                continue
            checked = self._named.get(importer) or self._other(importer)
            if importer not in self._named:
                for finding in before(checked, BUDGET - begun):
                    if any(place.filename == name for place in places_of(finding)):
                        yield finding
            begun += checked.steps

    def _other(self, importer: str) -> Checked:
        if importer not in self._others:
            self._others[importer] = self.run(Path(importer))
        return self._others[importer]

    def _importers_of(self, name: str) -> Iterator[str]:
        """The importers of a file; none where all files of its project are checked anyway."""
        project = self.project(Path(name))
        if project not in self._importers:
            self._importers[project] = self._asked(project)
        found = self._importers[project]
        return found.of(name) if found is not None else iter(())

    def _asked(self, project: Project) -> Importers | None:
        if project.names() <= self._named.keys() | self.elsewhere:
            return None
        from autograd_lint.project.importers import importers

        return importers(project, len(self._named))


def _is_imported(name: str) -> bool:
    """Whether other files may import this one."""
    return name.endswith(".py") and os.path.isabs(name)
