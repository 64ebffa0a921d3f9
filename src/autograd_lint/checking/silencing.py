"""What comments silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from autograd_lint.checking.checked import Comment
from autograd_lint.findings import Finding
from autograd_lint.project import suppressions
from autograd_lint.project.source import Source
from autograd_lint.project.suppressions import Suppression

if TYPE_CHECKING:
    from autograd_lint.checking.pipeline import Checker


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
        settings = self._checker.settings(name)
        severity = settings.severity(finding.code, finding.name, finding.severity)
        placed = replace(finding, noqa_row=comments.noqa_row(row), severity=severity)
        heeds = settings.heeds_comments
        comment = comments.silencing(placed) if heeds else None
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
        for finding in unused(
            source, comments, used, Rules(checker.machinery.codes().names, shows)
        ):
            if comments.silencing(finding, by_code=True) is None:
                yield finding

    def used_elsewhere(self) -> tuple[Comment, ...]:
        """The comments of other files that silenced something."""
        others = (used for used in self._used if used[0] != self._source.filename)
        return tuple(sorted({(name, one.row, one.column + 1) for name, one, _ in others}))
