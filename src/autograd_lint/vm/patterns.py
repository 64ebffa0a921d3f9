"""Regular expressions of the program: which of them may be carried out.

Python's engine goes back and tries again; what it may take doubles with every choice inside of
another one. Carried out is only what has few choices, none inside of another, on a short text.
"""

import re

_LONGEST = 120  # characters of a text
_LONGEST_PATTERN = 200
_CHOICES = 2  # repetitions: with so many, a match takes at most the square of the text's length
# Parts of a pattern: one character or class of them, a group's beginning, an end, an anchor.
_PART = re.compile(
    r"""(?P<one>\\[^\W\d]|\\\W|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\](){}*+?|^$])
    |(?P<opening>\((?:\?:|\?P<\w+>)?)
    |(?P<other>[)|^$])
    |(?P<repeated>(?:[*+?]|\{\d{1,2}(?:,\d{0,2})?\})\??)""",
    re.VERBOSE | re.DOTALL,
)


def is_cheap(pattern: str, text: str) -> bool:
    """Whether a match of `pattern` and `text` is soon tried; False for what is not understood."""
    if len(pattern) > _LONGEST_PATTERN or len(text) > _LONGEST:
        return False
    at, repeated, before = 0, 0, ""
    while at < len(pattern):
        part = _PART.match(pattern, at)
        if part is None:
            return False
        if part["repeated"]:
            repeated += 1
            if before != "one":
                return False  # a group is repeated, with all its choices
        before, at = str(part.lastgroup), part.end()
    return repeated <= _CHOICES
