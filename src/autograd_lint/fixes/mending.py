"""Fixes of one file, put to the test: what they are worth shows in what is found after them."""

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from autograd_lint.findings import Edit, Finding
from autograd_lint.fixes import judging
from autograd_lint.fixes.cells import Cells
from autograd_lint.fixes.editing import Document
from autograd_lint.immutable import immutable
from autograd_lint.project import cells, reading

MOST_TRIES = 50  # analyses for the sake of fixes

Recheck = Callable[[bytes], Sequence[Finding] | None]
"""The findings in new bytes of the file; None where these cannot be checked."""


@immutable
class State:
    """A file on the way: its text, what is found in it, how many findings were mended so far."""

    document: Document | Cells
    found: Sequence[Finding]
    count: int = 0


@dataclass
class Mender:
    """Applies fixes of one file: the safe ones, and the unsafe ones where they are wanted."""

    filename: str
    recheck: Recheck
    unsafe: bool
    tries: int = MOST_TRIES
    _refused: set[judging.Key] = field(default_factory=set)

    def mended(self, state: State, wanted: Sequence[Finding]) -> State | None:
        """The file with the fixes of `wanted`, and with those of what these have led to.

        None where the file would not parse, a finding is there as before, or they have led to
        something that no fix is offered for (see `judging`).
        """
        while wanted:
            edits = [edit for finding in wanted for edit in judging.edits_of(finding)]
            changed = state.document.edited(edits)
            if not self.tries or not _parses(changed, self.filename):
                return None
            self.tries -= 1
            after = self.recheck(changed.encoded())
            if after is None or judging.remaining(state.document, edits, wanted, after):
                return None
            owed = judging.consequences(state.document, edits, wanted, state.found, after)
            state = State(changed, after, state.count + len(wanted))
            if not all(self._is_fixable(state, finding) for finding in owed):
                return None
            wanted = self.compatible(state, owed)
        return state

    def compatible(self, state: State, found: Iterable[Finding]) -> list[Finding]:
        """Those findings whose fixes can be applied at once; of overlapping ones the first.

        Of statements below each other that get the same block the first: the next ones join it.
        """
        return list(self._compatible(state, found))

    def _compatible(self, state: State, found: Iterable[Finding]) -> Iterator[Finding]:
        taken: list[Edit] = []
        for finding in found:
            edits = list(judging.edits_of(finding))
            waits = state.document.overlap(edits, taken) or _joins(edits, taken)
            if self.may_fix(state, finding) and not waits:
                taken.extend(edits)
                yield finding

    def may_fix(self, state: State, finding: Finding) -> bool:
        """Whether the fix of a finding may be applied to the file, and was not refused."""
        return applicable(finding, self.unsafe) and self._is_fixable(state, finding)

    def _is_fixable(self, state: State, finding: Finding) -> bool:
        files = {cells.file_of(edit.place.filename) for edit in judging.edits_of(finding)}
        if not applicable(finding, unsafe=True) or files != {self.filename}:
            return False
        return judging.key(state.document, finding) not in self._refused

    def refuse(self, state: State, finding: Finding) -> None:
        """Never apply the fix of a finding."""
        self._refused.add(judging.key(state.document, finding))


def _joins(edits: Sequence[Edit], taken: Sequence[Edit]) -> bool:
    """Whether edits put a statement into the block that others make right above it."""
    header = edits[0].content.partition("\n")[0] if edits else ""
    if not header.lstrip().startswith("with "):
        return False
    begun = [one.content.partition("\n")[0] for one in taken]
    last = max((one.place.end_row for one in taken), default=0)
    return header in begun and edits[0].place.row == last + 1


def document_of(data: bytes, filename: str) -> Document | Cells:
    """The file to edit; raises as reading it does."""
    return Cells.of(data, filename) if cells.is_notebook(filename) else Document.of(data)


def applicable(finding: Finding, unsafe: bool) -> bool:
    """Whether the fix of a finding may be applied: it is safe, or unsafe ones are wanted."""
    fix = finding.fix
    return fix is not None and (
        fix.applicability == "safe" or (unsafe and fix.applicability == "unsafe")
    )


def _parses(document: Document | Cells, filename: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            document.encoded()
            ast.parse(document.python(), filename)
        except reading.UNREADABLE:
            return False
    return True
