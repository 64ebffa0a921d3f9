"""Fingerprints of lines as GitHub's upload of SARIF computes them.

The fingerprint of a line is a rolling hash over the hundred characters that begin with it, spaces
left out, and how often the same came before: it stays when the line moves. (Public description:
the action `github/codeql-action/upload-sarif` fills `primaryLocationLineHash` where it is missing,
and warns where it is another.)
"""

from collections import Counter
from collections.abc import Iterator

_BLOCK = 100
_FACTOR = 37
_WORD = 1 << 64
_END = 65535
_FIRST = pow(_FACTOR, _BLOCK, _WORD)
_SPACES = (ord(" "), ord("\t"))


def of_lines(text: str) -> list[str]:
    """The fingerprint of each line of a file's text."""
    found: dict[int, str] = {}
    counts: Counter[str] = Counter()
    for row, value in _hashes(text):
        counts[value] += 1
        found[row] = f"{value}:{counts[value]}"
    return [found[row] for row in sorted(found)]


def _hashes(text: str) -> Iterator[tuple[int, str]]:
    """The row of each line, once a hundred characters came after its start, and their hash."""
    window = [0] * _BLOCK
    begun = [0] * _BLOCK
    value = row = 0
    at_start = True
    for index, unit in enumerate(_units(text)):
        slot = index % _BLOCK
        if begun[slot]:
            yield begun[slot], f"{value:x}"
            begun[slot] = 0
        if at_start and unit is not None:
            row += 1
            begun[slot] = row
        at_start = unit == ord("\n")
        character = unit or 0
        value = (_FACTOR * value + character - _FIRST * window[slot]) % _WORD
        window[slot] = character


def _units(text: str) -> Iterator[int | None]:
    """The UTF-16 units that count, the mark of the end, and what fills the last windows."""
    encoded = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-le", "surrogatepass")
    for low, high in zip(encoded[::2], encoded[1::2], strict=True):
        unit = high << 8 | low
        if unit not in _SPACES:
            yield unit
    yield _END
    yield from [None] * _BLOCK
