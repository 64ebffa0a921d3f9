"""Questions about a file, or about a piece of its syntax tree, that are answered once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_ANSWERS = "_answers"  # where a file or a node keeps the answers to what was asked about it


def query(find: Callable[P, T]) -> Callable[P, T]:
    """Let a function compute its answer once for each subject: the last of its arguments.

    A subject is a `Source` or a node. What stands before it must follow from it, as the file of a
    node does. The answer is kept for as long as the subject is: a node that an edit leaves
    unchanged keeps its answers, and a file that has changed is another `Source`.
    """

    @wraps(find)
    def asked(*given: P.args, **named: P.kwargs) -> T:
        kept = vars(given[-1])
        known: dict[object, T] | None = kept.get(_ANSWERS)
        if known is None:
            known = kept[_ANSWERS] = {}
        elif find in known:
            return known[find]
        found = known[find] = find(*given, **named)
        return found

    return asked
