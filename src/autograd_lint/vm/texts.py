"""How long the program's texts may be for the interpreter to know them."""

import re
from collections.abc import Sequence

from autograd_lint.vm.values import Value

LONGEST_TEXT = 10_000  # characters
_WIDE = re.compile(r"\d{4}")


def asks_for_width(pattern: Value) -> bool:
    """Whether `pattern % value` may be filled up to a width of thousands."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    return not isinstance(text, str) or _WIDE.search(text) is not None


def grows(text: str, arguments: Sequence[Value]) -> bool:
    """Whether `text.replace(old, new)` may become too long."""
    new = arguments[1] if len(arguments) > 1 else ""
    return isinstance(new, str) and (len(text) + 1) * len(new) > LONGEST_TEXT * 10
