"""What an analysis of a file gives."""

from __future__ import annotations

from autograd_lint.analysis.coverage import Seen
from autograd_lint.coverage import Coverage
from autograd_lint.engine.faults import Fault
from autograd_lint.immutable import immutable
from autograd_lint.project.source import Source


@immutable
class Analysed:
    """What the runs over a file show: faults, each once, by place, and the steps that they took.

    A fault may lie in another file of the project altogether. Of one that several runs show there
    the earlier ones are kept as well as the one with the fewest assumptions. `left_out` are the
    definitions that were not begun, as the budget of the file was used up, `seen` is what the runs
    have reached, where that was wanted. `broken` says that Python itself has ended the program.
    `asked` are the names that the runs have asked the table of operators for; None where some of
    what they show is remembered.
    """

    faults: list[Fault]
    steps: int = 0
    left_out: tuple[str, ...] = ()
    seen: Seen | None = None
    broken: bool = False
    asked: frozenset[str] | None = frozenset()

    def coverage(self, source: Source) -> Coverage:
        """What of the file was missed: nothing of one that has no torch and was not run."""
        seen = self.seen or Seen()
        if "torch" not in source.text and not seen.statements:
            return Coverage()
        return seen.coverage(source, self.left_out)
