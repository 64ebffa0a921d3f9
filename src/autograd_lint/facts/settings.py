"""What files of settings, and scripts of a shell, give an option.

use_checkpoint: true            # YAML; so is "use_checkpoint": true of JSON
use_checkpoint = true           # TOML
train.py --use_checkpoint       # a shell
"""

from __future__ import annotations

import re

# Values that leave an option as good as unset.
_OFF = frozenset({b"false", b"no", b"off", b"none", b"null", b"~", b"0", b"0.0"})
_ENDS = (b"-", b"\\", b"|", b"&", b";", b">")  # what follows a flag that stands for itself


def switches_on(name: str, data: bytes) -> bool:
    """Whether a file gives an option of that name anything but what is off."""
    word = re.escape(name.encode())
    given = re.finditer(
        rb"(?<![\w.-])(?P<flag>--)?[\w.]*?(?<!\w)[\"']?" + word + rb"(?![\w-])[\"']?"
        rb"(?P<between>[ \t]*[:=][ \t]*|[ \t]*)(?P<value>[^\s,}\]#]*)",
        data,
    )
    return any(_is_on(one) for one in given)


def _is_on(given: re.Match[bytes]) -> bool:
    """Whether a mention of an option sets it: it stands for itself as a flag, or before a value."""
    value = given["value"].strip(b"\"'").lower()
    if not given["between"].strip():
        return given["flag"] is not None and (value.startswith(_ENDS) or value not in _OFF)
    return value not in _OFF
