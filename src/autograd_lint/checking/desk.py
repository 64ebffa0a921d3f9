"""Where the files of several projects are checked one after the other, in one process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.garbage import settle, tune_collector
from autograd_lint.checking.machinery import standard_machinery
from autograd_lint.checking.target import Target, target_of
from autograd_lint.configuration.settings import Settings
from autograd_lint.errors import Trouble
from autograd_lint.project.roots import Home, Homes

if TYPE_CHECKING:  # A run on files that the gate rejects, or that have not changed, checks nothing.
    from autograd_lint.checking.machinery import Machinery
    from autograd_lint.checking.pipeline import Checker
    from autograd_lint.configuration.governing import Governing
    from autograd_lint.project.modules import Project

_SWEEP = 16  # files after which their garbage is collected
_FEW = 2_000  # steps of each run over a file that took too long with as many as it is worth
_BODY = "<module>"  # the statements of a module, by Python's own name for them


@dataclass(frozen=True)
class Plan:
    """What a process needs to check files; it travels by pickle.

    `named` are the folders that stand for projects where nothing on the disk marks one.
    """

    settings: Governing
    named: tuple[Path, ...] = ()
    machinery: Callable[[], Machinery] = standard_machinery

    def desk(self) -> Desk:
        """What checks files, with projects of its own."""
        return Desk(self)


class Desk:
    """Checks files of several projects with the settings of a plan, one after the other.

    Every few files it cleans up the garbage that they leave behind: programs refer to themselves in
    many ways.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._homes = Homes(plan.named)
        self._checkers: dict[Home, Checker] = {}
        self._targets: dict[Home, Target] = {}
        self._left = -_SWEEP  # a commit of a few files is done before a first, long collection

    def home(self, path: Path) -> Home:
        """The project that a file belongs to."""
        return self._homes.of(path.parent)

    def project(self, path: Path) -> Project:
        """The files of the project that a file belongs to."""
        return self.checker(path).project

    def checker(self, path: Path) -> Checker:
        """What checks the files of a project, that of a file."""
        home = self.home(path)
        if home not in self._checkers or self._checkers[home].spoilt:
            self._checkers[home] = self._made(home, self._plan.machinery)
        return self._checkers[home]

    def _made(self, home: Home, machinery: Callable[[], Machinery]) -> Checker:
        from autograd_lint.checking.pipeline import Checker
        from autograd_lint.project.modules import Project

        own = settings_of(self._plan.settings, home)
        target = partial(self._version, home)
        project = Project.of(home, own.models, facts=own.facts, target=target)
        return Checker(self._plan.settings, project, machinery)

    def target(self, home: Home) -> Target:
        """The torch that a project is written for."""
        if home not in self._targets:
            self._targets[home] = target_of(self._plan.settings, home)
        return self._targets[home]

    def _version(self, home: Home) -> str:
        return self.target(home).version

    def origin(self, home: Home) -> str:
        """What the results for the files of a project hang on, besides the files."""
        return repr((home, self._version(home)))

    def check(self, path: Path, most: int | None = None) -> Checked:
        """Check one file; after `most` steps no definition is begun any more."""
        if not self._checkers:
            tune_collector()
        checker = self.checker(path)
        checked = checker.file(path, most)
        if checker.spoilt and checked.trouble:
            checked = self._briefly(path, checked)
        self._left += 1
        if self._left == _SWEEP:
            self._left = 0
            settle()
        return checked

    def _briefly(self, path: Path, told: Checked) -> Checked:
        """What few steps find in a file whose check was broken off; as `told` if nothing does."""
        checked = self._made(self.home(path), self._brief_machinery).file(path)
        if checked.trouble:
            return told
        return replace(checked, left_out=checked.left_out or (_BODY,), hurried=True)

    def _brief_machinery(self) -> Machinery:
        machinery = self._plan.machinery()
        return replace(machinery, analyse=partial(machinery.analyse, within=_FEW))


def settings_of(settings: Governing, home: Home) -> Settings:
    """The settings of a project as a whole: those of the configuration in its folder."""
    with suppress(Trouble):  # it is told where it governs a file that is checked
        return settings.of(str(home.folder / "main.py"))
    return Settings()
