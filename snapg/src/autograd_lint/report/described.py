"""What formats for other programs say about a rule."""

from dataclasses import dataclass

from autograd_lint.findings import Severity


@dataclass(frozen=True, slots=True)
class Described:
    """A rule: its page in Markdown, and the line that sums it up."""

    code: str
    name: str
    summary: str
    page: str
    severity: Severity
