"""The flake8 plugin: findings as flake8's own, by the code `AG`.

flake8 chooses files and silences; what `autograd-lint.toml` or `[tool.autograd-lint]` say of rules
and certainty holds here, too.
"""

import ast
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from autograd_lint.addresses import VERSION

if TYPE_CHECKING:
    from autograd_lint.checking.pipeline import Checker
    from autograd_lint.findings import Finding
    from autograd_lint.project.modules import Project
    from autograd_lint.project.roots import Home

Report = tuple[int, int, str, type]
"""Row from 1, column from 0, text, and the plugin: what flake8 takes."""


class Plugin:
    """Checks one file for flake8, which gives the lines of the file and needs `tree` among the
    parameters to call this once for a file."""

    name: ClassVar[str] = "autograd-lint"
    version: ClassVar[str] = VERSION

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        self._text = "".join(lines)
        self._filename = os.path.abspath(filename)

    def run(self) -> Iterator[Report]:
        """The findings in the file; raises Trouble where a configuration file is wrong."""
        if "torch" not in self._text:
            return
        from autograd_lint.project.source import Source

        checker = _checker(os.path.dirname(self._filename))
        for finding in checker.source(Source(self._filename, self._text)).findings:
            if finding.place.filename == self._filename:
                yield finding.place.row, finding.place.column - 1, _line(finding), type(self)


def _line(finding: "Finding") -> str:
    assumptions = "; ".join(one.text for one in finding.assumptions)
    assuming = f" (assuming: {assumptions})" if assumptions else ""
    return f"{finding.code} {finding.message}{assuming}"


@cache
def _checker(folder: str) -> "Checker":
    """The checker for the files of a folder; flake8 makes a plugin for every file."""
    from autograd_lint.checking.configured import settings_for
    from autograd_lint.checking.pipeline import Checker
    from autograd_lint.checking.request import Request
    from autograd_lint.project.roots import Homes

    return Checker(settings_for(Request(paths=(folder,))), _project(Homes().of(Path(folder))))


@cache
def _project(home: "Home") -> "Project":
    from autograd_lint.checking.configured import settings_for
    from autograd_lint.checking.request import Request
    from autograd_lint.checking.target import target_of
    from autograd_lint.project.modules import Project

    settings = settings_for(Request(paths=(str(home.folder),)))

    def target() -> str:
        return target_of(settings, home).version

    return Project.of(home, settings.models, facts=settings.facts, target=target)
