"""Whether the installed torch can be observed, asked before it is imported."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from autograd_lint.errors import Trouble

OLDEST = (2, 4)
"""The oldest torch on which all of this package was measured; `pyproject.toml` asks for it."""


def require(wanted_by: str) -> None:
    """Raise Trouble where torch is not installed, or is too old."""
    if find_spec("torch") is None:
        raise Trouble(f"{wanted_by}: torch is not installed here; install it beside autograd-lint")
    try:
        installed = version("torch")
    except PackageNotFoundError:  # it was not installed as a package: what it lacks is told later
        return
    numbers = tuple(int(part) for part in installed.split(".")[:2])
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise Trouble(f"{wanted_by}: torch {installed} is too old; install {oldest} or later")
