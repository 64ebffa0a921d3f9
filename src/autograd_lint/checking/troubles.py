"""The lines about files that were not checked."""

from __future__ import annotations

from autograd_lint.configuration.specifiers import Minor


def too_large(filename: str, excess: str) -> str:
    """The line about a source of which there is too much to look at."""
    return f"{filename}: too large, not checked ({excess}); exclude it"


def too_new(filename: str, python: Minor) -> str:
    """The line about a file that this Python cannot parse, written for a newer one."""
    return (
        f"{filename}: not checked: it is written for Python {python[0]}.{python[1]}; "
        "run autograd-lint with that"
    )


def too_costly(filename: str) -> str:
    """The line about a file whose analysis was broken off."""
    return (
        f"{filename}: too costly, not checked (it takes more time or memory than a file may); "
        "exclude it, or split it up"
    )


def crashed(filename: str, error: Exception) -> str:
    """The line about a file whose analysis raised `error`."""
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{filename}: the analysis crashed ({reason}); please report it"
