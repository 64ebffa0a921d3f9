"""A class of messages, and the pieces of patterns that several classes share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from autograd_lint.engine.faults import FaultKind

NODE = r"(?P<node>(?:torch::autograd::)?\w+)"
# Code that writes a tensor in place.
WRITES = (
    r"(?<![=!<>])[-+*/@%&|^]=|\.(?!requires_grad_|__)[a-z]\w*_\(|\][^=<>!]*(?<![=!<>])=(?!=)"
    r"|inplace\s*=\s*True|[(,]\s*out\s*=|\.step\(|(?<![\w.])(?:init\.)\w+_\("
)
BACKWARD = r"\bbackward\(|\bgrad\(|\.manual_backward\("
CALLBACK = r"class \w+|def (?:forward|backward|setup_context|vjp|jvp)\b|save_for_backward|return\b"


@dataclass(frozen=True)
class Topic:
    """A class of messages.

    `patterns` are regular expressions for a text on one line. `error` is what the rules predict of
    it, `codes` the rules whose findings explain it. `said` says in one sentence
    what the message means, `causes` what usually leads to it. `suspects` is a regular expression
    for the code of a statement that can be to blame. `earlier` says that the blame lies with
    something before the line that raises.
    """

    name: str
    patterns: tuple[str, ...]
    error: FaultKind
    codes: tuple[str, ...]
    said: str
    causes: tuple[str, ...]
    suspects: str = ""
    earlier: bool = False

    @cached_property
    def compiled(self) -> tuple[re.Pattern[str], ...]:
        """The patterns, ready to be searched for."""
        return tuple(re.compile(one) for one in self.patterns)

    def search(self, text: str) -> re.Match[str] | None:
        """Where a text speaks of it, if it does."""
        found = (pattern.search(text) for pattern in self.compiled)
        return next((match for match in found if match is not None), None)
