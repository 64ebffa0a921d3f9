"""One line a finding: `file:row:column: CODE message (address of the rule)`."""

from collections.abc import Iterator, Sequence

from autograd_lint.findings import Finding
from autograd_lint.report.excerpt import Line, linked
from autograd_lint.report.text import shown


def findings(found: Sequence[Finding]) -> Iterator[Line]:
    """All findings."""
    for finding in found:
        place = (f"{shown(finding.place)}: ", "title")
        code = (finding.code, linked(finding.severity.value, finding.url))
        yield [place, code, (f" {finding.message}", ""), (f" ({finding.url})", "address")]
