"""Which functions say by their names that they evaluate."""

from __future__ import annotations

_WORDS = {"eval", "evaluate", "evaluation", "test", "testing", "val", "valid", "validate"}
_WORDS |= {"validation", "infer", "inference"}


def evaluates_by_name(name: str) -> bool:
    """Whether a word of a name is one for evaluations: `validate_epoch`."""
    return not _WORDS.isdisjoint(name.lower().split("_"))
