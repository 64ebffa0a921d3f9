"""AG902: a comment silences nothing. Found where comments are read, not by a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Finding, Severity
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class UnusedSuppression(Rule):
    """A comment silences a finding that is not there.

    ## What it does

    Finds `# noqa: AG103` and `# autograd-lint: ignore[...]` comments, and codes in them, that
    silence nothing. A bare `# noqa`, codes of other linters and codes of rules that are not
    selected are left alone.

    ## Why it is bad

    The comment is outdated, and it would silence the next finding on its line.

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    h = torch.relu(w)  # noqa: AG103
    h = h + 1
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    h = torch.relu(w)
    h = h + 1
    ```

    ## Fix safety

    The fix to remove the comment is safe.

    ## References

    - [Silencing a finding](../usage.md#silencing-a-finding)
    """

    code = "AG902"
    name = "unused-suppression"
    severity = Severity.WARNING

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        return None
