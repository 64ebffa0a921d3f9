"""What formats for other programs say about a rule."""

from autograd_lint.findings import Severity
from autograd_lint.immutable import immutable


@immutable
class Described:
    """A rule: its page in Markdown, and the line that sums it up.

    `share_right` is how many of its findings that were read were right, from 0 to 1; None where
    that was not counted.
    """

    code: str
    name: str
    summary: str
    page: str
    severity: Severity
    share_right: float | None = None
