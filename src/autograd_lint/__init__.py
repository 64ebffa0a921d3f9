"""autograd-lint: says what PyTorch's autograd will do to a program before it does it.

`check`, `diagnose` and `trace` are for Python programs, with the classes of what they give; see
docs/python.md. Everything else in this package may change at any time.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograd_lint.api import Assumed as Assumed
    from autograd_lint.api import Certainty as Certainty
    from autograd_lint.api import Confirmation as Confirmation
    from autograd_lint.api import Edit as Edit
    from autograd_lint.api import Finding as Finding
    from autograd_lint.api import Fix as Fix
    from autograd_lint.api import Place as Place
    from autograd_lint.api import Prediction as Prediction
    from autograd_lint.api import Related as Related
    from autograd_lint.api import Report as Report
    from autograd_lint.api import Severity as Severity
    from autograd_lint.api import Trouble as Trouble
    from autograd_lint.api import check as check
    from autograd_lint.api import diagnose as diagnose
    from autograd_lint.api import trace as trace
    from autograd_lint.plugins.notebook import Shell

__version__ = "0.1.0"


__all__ = [
    "Assumed",
    "Certainty",
    "Confirmation",
    "Edit",
    "Finding",
    "Fix",
    "Place",
    "Prediction",
    "Related",
    "Report",
    "Severity",
    "Trouble",
    "check",
    "diagnose",
    "trace",
]


def __getattr__(name: str) -> object:
    """What is offered is imported when it is asked for: the command line starts without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("autograd_lint.api"), name)


def load_ipython_extension(shell: "Shell") -> None:
    """Make the magics known: `%load_ext autograd_lint` in a notebook calls this."""
    from autograd_lint.plugins.notebook import load

    load(shell)
