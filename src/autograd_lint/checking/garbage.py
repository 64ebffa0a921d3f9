"""When Python's garbage collector looks at what checking files leaves behind."""

from __future__ import annotations

import gc


def tune_collector(objects: int = 200_000) -> None:
    """Make the garbage collector rare: trees live as long as their file is looked at.

    It runs by itself after so many new `objects`.
    """
    gc.freeze()
    gc.set_threshold(objects, 20, 100)


def tidy() -> None:
    """Clean up what was left behind lately."""
    gc.collect(1)


def settle() -> None:
    """Clean up; what is still there stays, and need not be looked at again."""
    gc.collect()
    gc.freeze()


def sweep() -> None:
    """Clean up, what was taken to stay before included."""
    gc.unfreeze()
    settle()
