"""AG901: a file cannot be parsed, so that nothing in it was checked.

Its findings are made where files are read (`project.reading.parse_error`): no fault leads to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.rules.base import Rule

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class ParseError(Rule):
    """A file cannot be parsed, so nothing in it was checked.

    ## What it does

    Reports files that are not valid Python, as the Python that runs the tool reads it, files whose
    bytes are not in the encoding that they claim, and notebooks that are none.

    ## Why it is bad

    The file cannot be imported, and other mistakes in it are not found.

    ## Example

    ```python
    import torch

    w = torch.randn(3, requires_grad=True
    ```

    ## Use instead

    ```python
    import torch

    w = torch.randn(3, requires_grad=True)
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [SyntaxError](https://docs.python.org/3/library/exceptions.html#SyntaxError)
    """

    code = "AG901"
    name = "parse-error"

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        return None
