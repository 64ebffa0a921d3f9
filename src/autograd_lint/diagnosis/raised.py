"""Exceptions of a running program: in a test, in a notebook."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

from autograd_lint.diagnosis.diagnosing import Diagnosis, Request, Texts, diagnose
from autograd_lint.diagnosis.matching import Lines


def of_exception(
    error: BaseException, paths: Sequence[Path] = (), *, near: bool = True
) -> tuple[Diagnosis, Lines] | None:
    """The diagnosis of an exception, and the lines of the files that it speaks of; None where the
    exception is not one of autograd.

    `near` says to look at the files of the traceback alone.
    """
    found = diagnose(Request(printed(error), tuple(paths), near=near))
    return None if found is None else (found, Texts().lines)


def printed(error: BaseException) -> str:
    """What Python prints of an exception that nobody catches."""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))
