"""One line a finding: `file:row:column: CODE message`."""

from collections.abc import Iterator, Sequence

from autograd_lint.findings import Finding
from autograd_lint.report.excerpt import Line
from autograd_lint.report.text import shown


def findings(found: Sequence[Finding]) -> Iterator[Line]:
    """All findings."""
    for finding in found:
        place = (f"{shown(finding.place)}: ", "title")
        yield [place, (finding.code, finding.severity.value), (f" {finding.message}", "")]
