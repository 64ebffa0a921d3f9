"""Where in a file stands what a fault needs: found once for the whole text, asked for by rows."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograd_lint.facts.harmless_statements import (
    augmented_rows,
    beginning_rows,
    remark_rows,
    renewing_rows,
    stored_rows,
    written_rows,
)
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# A store to an element, but no annotation with a default: what is quickly found of it, and what its
# line must look like.
STORE = (r"\]\s*=(?!=)", r"\s*\w[^\n:=]*\[(?:[^\n=]|[=!<>]=)*[^'\"\n]\]\s*=(?!=)")


class Marks:
    """What is looked for in whole texts: words, patterns, and lines by a telling part of them.

    What begins with a plain character is found some ten times faster than what begins with a class
    of them: hence words apart, and what comes before as a look behind.
    """

    def __init__(
        self, words: Iterable[str], patterns: Iterable[str], lines: Iterable[tuple[str, str]]
    ) -> None:
        self._words = tuple(words)
        self._patterns = tuple(map(re.compile, patterns))
        self._lines = tuple((re.compile(part), re.compile(line)) for part, line in lines)

    def offsets(self, text: str) -> Iterator[int]:
        """Where they stand in a text, in no order."""
        for word in self._words:
            at = text.find(word)
            while at >= 0:
                yield at
                at = text.find(word, at + 1)
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                yield match.start()
        for part, line in self._lines:
            for match in part.finditer(text):
                start = text.rfind("\n", 0, match.start()) + 1
                end = text.find("\n", match.start())
                if line.match(text, start, len(text) if end < 0 else end):
                    yield match.start()

    def rows(self, source: Source) -> list[int]:
        """The rows of a file on which they stand, in order."""
        return [above + row for above, rows in source.pieces.each(self._rows) for row in rows]

    def _rows(self, text: str) -> list[int]:
        offsets = [at for at in self.offsets(text) if not _is_remark(text, at)]
        return sorted(set(_rows_of(sorted(offsets), text))) if offsets else []


def _is_remark(text: str, offset: int) -> bool:
    """Whether a place in a text stands in a comment, as far as its line tells."""
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    code, hash_, _ = before.partition("#")
    return bool(hash_) and not (code.count("'") % 2 or code.count('"') % 2)


# What two sides of a program may do to each other: writes, graphs that are walked or freed, flags,
# modes, optimizers, numpy, hooks, and state that is computed from itself.
_ACTS = Marks(
    words=(
        "inplace",
        "backward(",
        "autograd",
        "optim",
        "requires_grad",
        "numpy",
        "deepcopy",
        "retain_grad",
        "hasattr(self,",
        ".eval()",
        "no_grad:",
        ".train_step(",
    ),
    patterns=(
        r"\.data\b",
        r"return [^\n]*\.detach\(\)",
        r"out=(?<=\bout=)",
        r"inference_mode(?:(?<=torch\.inference_mode)|(?<=@inference_mode)|(?=\())",
        r"__i(?!nit|ter)[a-z]+__",
        r"(self\.\w+) is None:\s+\1 =",
        r"register_\w*hook",
        r"require(?:_?s?_?grad|[sd]_gradient)",
        r"\+ ?(?:[\w.]+ \* )?(?:[\w.]+\.item\(\)|float\([a-z])",
    ),
    lines=(
        (
            r"\.(?:step|zero_grad|train|eval|backward)\b",
            r"\s*\w[\w.]*\.(?:step|zero_grad|train|eval|backward)\s*$",
        ),
        (
            r"torch\.(?:no_grad|enable_grad|inference_mode|set_grad_enabled)\(",
            r"\s*torch\.(?:no_grad|enable_grad|inference_mode|set_grad_enabled)\(.*\)\s*$",
        ),
    ),
)
# What is wrong by itself where it is, as long as a run gets there.
_ALONE = Marks(
    words=(
        "full(",
        "full_like(",
        "asarray",
        "operator",
        "checkpoint(",
        "vmap(",
        "torch.func",
        "custom_op(",
        "fromkeys(",
        "async def",
        "plt.",  # what makes arrays
        "DataFrame(",
        "_score(",
        ".fit_transform(",
        "Learner(",
        "load_state_dict(",
        "def compute_loss(",  # what a framework runs backward on
        "def training_step(",
    ),
    patterns=(
        r"np\.(?<=\bnp\.)",
        r"in zip\([^\n]*parameters\(\)",
        r"\)\.detach\(\)(?<=[\w)\]]\)\.detach\(\))",  # of what was just computed
        r"with torch\.no_grad\(\):\n\s+(?:return |\w+ = )[^\n]*\bself\.\w+\(",
        r"@torch\.(?:no_grad|inference_mode)\b[^\n]*\s+def (?:__call__|forward)\(",
        r"def forward\([^\n]*\n\s+with torch\.(?:no_grad|inference_mode)\b",
        r"Thread(?:PoolExecutor)?\(",
        r"self\.\w+\s*=\s*[\[{][^\n]*\bnn\.[A-Z]",
        r"Parameter\([^\n]*\)\.(?:to|cuda|half|double|float)\(",
        r"where\((?:[^\n]*\n){0,3}?[^\n]*(?:sqrt|log|exp|a?cos|a?sin)h?\(",
        r"self\.\w+\.append\(\s*(?:\w+\.)*[A-Z]\w*\(",
        r"self\.\w+(?:\[[^\n\]]*\])+\.append\(",
        r"(?:ModuleList|Sequential)\([^\n]*(?:\]\s*\*\s*\w|\w\s*\*\s*\[)",
        r"(?:ModuleList|Sequential)\(\*?[\[(]?\w+ for \w+ in",
        r"=(?:torch\.)?nn\.[A-Z]\w*\(",  # a default, or a keyword
        r"Module = (?:torch\.)?nn\.[A-Z]\w*\(",
        r"=\s*\[(?:[A-Z]|nn\.|\w*(?:layer|block))[^\n]*\]\s*\*\s*\w",
    ),
    lines=(
        (
            r"Parameter\(torch\.",
            r"\s*\w+\s*=\s*[\w.]*\bParameter\(torch\.(?:rand|empty|normal|Tensor|FloatTensor)",
        ),
        (r"= torch\.tensor\(", r"\s*(\w+) = torch\.tensor\(\1\b"),
    ),
)
# What a text shows of these may be harmless: the statement that stands there tells.
_IN_PLACE = Marks(words=(), patterns=(r"_\((?<=[a-z0-9]_\()",), lines=())
_AUGMENTED = Marks(words=(), patterns=(r"=(?<=[-+*/@&|^%]=)",), lines=())
_RENEWED = Marks(words=(), patterns=(r"self\.(\w+)\b[^\n=]*=(?!=)[^\n]*\bself\.\1\b",), lines=())
_STORED = Marks(words=(), patterns=(), lines=(STORE,))
_DOUBTFUL = (
    (_STORED, stored_rows),
    (_IN_PLACE, written_rows),
    (_AUGMENTED, augmented_rows),
    (_RENEWED, renewing_rows),
)
# A call in a text read backwards, for the same reason.
_CALLED = re.compile(r"\((\w*[A-Za-z_])(?!\w)(?! fed)(\.?)")


def may_hold_fault(text: str) -> bool:
    """Whether anything that a fault needs stands in the text."""
    marks = (_ACTS, _ALONE, *(doubtful for doubtful, _ in _DOUBTFUL))
    return any(next(one.offsets(text), None) is not None for one in marks)


@dataclass(frozen=True, slots=True)
class Triggers:
    """The rows of a file on which triggers stand, and the calls with their rows; both in order.

    `acts` are the rows of triggers that may concern others elsewhere. `owned` says of each call
    whether it is one of something's attribute.
    """

    rows: list[int]
    acts: list[int]
    call_rows: list[int]
    calls: list[str]
    owned: list[bool]

    def within(self, node: ast.AST) -> bool:
        """Whether a trigger stands on the rows of a node."""
        return _stands_on(node, self.rows)

    def rows_within(self, node: ast.AST) -> set[int]:
        """The rows of a node on which a trigger stands."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return set(self.rows[bisect_left(self.rows, first) : bisect_left(self.rows, last + 1)])

    def acts_within(self, node: ast.AST) -> bool:
        """Whether one that may concern others stands there."""
        return _stands_on(node, self.acts)

    def called(self, node: ast.AST) -> list[str]:
        """The last names of what is called on the rows of a node."""
        return self.calls[self._calls_of(node)]

    def named(self, node: ast.AST) -> list[str]:
        """What is called by its name alone on the rows of a node."""
        part = self._calls_of(node)
        pairs = zip(self.calls[part], self.owned[part], strict=True)
        return [name for name, owned in pairs if not owned]

    def called_on(self, node: ast.AST) -> list[tuple[int, str]]:
        """The same, each with its row."""
        part = self._calls_of(node)
        return list(zip(self.call_rows[part], self.calls[part], strict=True))

    def _calls_of(self, node: ast.AST) -> slice:
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return slice(bisect_left(self.call_rows, first), bisect_left(self.call_rows, last + 1))


def _stands_on(node: ast.AST, rows: list[int]) -> bool:
    first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
    return bisect_left(rows, first) < bisect_left(rows, last + 1)


def _rows_of(offsets: list[int], text: str) -> Iterator[int]:
    """The rows of a text on which those of its characters stand, which are in order."""
    row, last = 1, 0
    for offset in offsets:
        row += text.count("\n", last, offset)
        last = offset
        yield row


def _called_in(text: str) -> list[tuple[int, str, bool]]:
    """The calls in a text: row, name, and whether it is one of something's attribute."""
    calls = list(_CALLED.finditer(text[::-1]))[::-1]
    rows = _rows_of([len(text) - match.end() for match in calls], text)
    return [(row, match[1][::-1], bool(match[2])) for row, match in zip(rows, calls, strict=True)]


@query
def triggers(source: Source) -> Triggers:
    """The triggers of a file."""
    each = source.pieces.each(_called_in)
    rows = [above + row for above, found in each for row, _, _ in found]
    calls = [call for _, found in each for call in found]
    names, owned = [name for _, name, _ in calls], [owned for _, _, owned in calls]
    acts = _without_harmless(source, {*_ACTS.rows(source), *_meant(source)})
    alone = _without_harmless(source, set(_ALONE.rows(source)))
    return Triggers(sorted(acts | alone), sorted(acts), rows, names, owned)


def _meant(source: Source) -> Iterator[int]:
    """The rows of what a text only shows as doubtful, where the statement is what it looks like."""
    for marks, meant in _DOUBTFUL:
        rows = marks.rows(source)
        yield from meant(source).intersection(rows) if rows else ()


def _without_harmless(source: Source, rows: set[int]) -> set[int]:
    return rows - remark_rows(source) - beginning_rows(source) if rows else rows
