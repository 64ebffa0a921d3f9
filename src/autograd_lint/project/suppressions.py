"""Comments that silence findings: `# noqa`, `# autograd-lint: ignore[...]`, `ignore-file[...]`."""

import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise

from autograd_lint.configuration.selection import specificity
from autograd_lint.findings import Finding
from autograd_lint.immutable import immutable
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_ITEM = r"(?:[A-Z]+[0-9]+|[a-z]+(?:-[a-z]+)+)"
_NOQA = re.compile(rf"#\s*(?i:noqa)(?:\s*:\s*(?P<codes>{_ITEM}(?:[,\s]+{_ITEM})*))?(?![\w-])")
_OURS = re.compile(
    r"#\s*autograd-lint:\s*(?P<kind>ignore(?:-file)?)(?:\[(?P<codes>[^\]]*)\])?(?![\w-])"
)
_FOR_US = re.compile(r"#\s{0,99}(?:autograd-lint:|(?i:noqa)\s{0,99}:)")
_LONGEST = 2_000  # characters of a comment that are looked at
_SIGNS = ("noqa", "autograd-lint")
_FOR_FILE = "ignore-file"
_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


@immutable
class Suppression:
    """One comment, and the rows it speaks for (None: the whole file); no codes means every code."""

    row: int
    column: int
    text: str
    codes: tuple[str, ...]
    rows: range | None

    @property
    def is_noqa(self) -> bool:
        """Whether it is a `# noqa`, which other linters read too."""
        return "autograd-lint" not in self.text

    def silences(self, finding: Finding) -> bool:
        """Whether `finding` lies on its rows and has one of its codes or names."""
        rows = self.rows
        if rows is not None and finding.place.row not in rows and finding.noqa_row not in rows:
            return False
        return not self.codes or any(
            specificity(code, finding.code, finding.name) for code in self.codes
        )


@immutable
class Suppressions:
    """The suppressions of a file, and for rows inside of a string or a continued line the row at
    whose end a comment can stand."""

    comments: tuple[Suppression, ...] = ()
    joined: tuple[tuple[int, int], ...] = ()

    def noqa_row(self, row: int) -> int:
        """The row at whose end a `# noqa` speaks for `row`."""
        for first, last in self.joined:
            if first <= row <= last:
                return last
        return row

    def silencing(self, finding: Finding, by_code: bool = False) -> Suppression | None:
        """The comment that silences `finding`, if there is one; `by_code`: one that names codes."""
        silencing = (one for one in self.comments if one.silences(finding))
        return next((one for one in silencing if one.codes or not by_code), None)


@query
def read(source: Source) -> Suppressions:
    """The suppressions in the comments of `source`, which parses."""
    return _read(source.lines)


def around(source: Source, row: int) -> Suppressions:
    """Those of its suppressions that may speak for a row; it parses.

    To look at one statement of the module is some times faster than to look at all of them.
    """
    if _FOR_FILE in source.text:
        return read(source)
    rows = _statements(source)
    following = bisect_right(rows, row)
    above = rows[following - 1] - 1
    known = _by_statement(source)
    if above not in known:
        last = rows[following] - 1 if following < len(rows) else None
        known[above] = _below(_read(source.lines[above:last]), above)
    return known[above]


@query
def _by_statement(source: Source) -> dict[int, Suppressions]:
    """What was read so far, by the rows above."""
    return {}


def _below(found: Suppressions, above: int) -> Suppressions:
    """What was found in lines that stand below so many others."""
    return Suppressions(
        tuple(_moved(one, above) for one in found.comments),
        tuple((first + above, last + above) for first, last in found.joined),
    )


@query
def _statements(source: Source) -> list[int]:
    """The rows on which the statements of a module begin, with the comments above them."""
    rows = [1]
    for node, following in pairwise(source.tree.body):
        end = node.end_lineno or node.lineno
        if following.lineno > end:  # not behind a semicolon
            rows.append(end + 1)
    return rows


def _moved(suppression: Suppression, by: int) -> Suppression:
    rows = suppression.rows
    moved = range(rows.start + by, rows.stop + by) if rows is not None else None
    return replace(suppression, row=suppression.row + by, rows=moved)


def _read(lines: list[str]) -> Suppressions:
    text = "\n".join(lines)
    tokens = list(_tokens(text))
    comments: tuple[Suppression, ...] = ()
    if any(sign in text.lower() for sign in _SIGNS):
        comments = tuple(_comments(tokens))
    return Suppressions(comments, tuple(_joined(tokens, lines)))


def may_name_codes(text: str) -> bool:
    """Whether a text may have a comment that is for this linter alone."""
    return _FOR_US.search(text) is not None


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    except (tokenize.TokenError, SyntaxError):
        # `tokenize` rejects a few files that the parser takes: keep what came before.
        return


def _comments(tokens: list[tokenize.TokenInfo]) -> Iterator[Suppression]:
    for index, token in enumerate(tokens):
        if token.type == tokenize.COMMENT:
            yield from _suppressions(tokens, index)


def _suppressions(tokens: list[tokenize.TokenInfo], index: int) -> Iterator[Suppression]:
    row, column = tokens[index].start
    text = tokens[index].string[:_LONGEST]
    for match in _NOQA.finditer(text):
        codes = tuple(re.split(r"[,\s]+", match["codes"])) if match["codes"] else ()
        yield Suppression(row, column + match.start(), match[0], codes, range(row, row + 1))
    for match in _OURS.finditer(text):
        given = (match["codes"] or "").split(",")
        codes = tuple(code.strip() for code in given if code.strip())
        rows = None if match["kind"] == "ignore-file" else _rows(tokens, index)
        yield Suppression(row, column + match.start(), match[0], codes, rows)


def _rows(tokens: list[tokenize.TokenInfo], index: int) -> range:
    """The rows of an `ignore`: its own; where it stands alone, also the logical line below."""
    row, column = tokens[index].start
    if tokens[index].line[:column].strip():
        return range(row, row + 1)
    rest = (t for t in islice(tokens, index + 1, None) if t.type not in _NO_CODE)
    below = next(rest, None)
    if below is None:
        return range(row, row + 1)
    last = below.start[0]
    if not _inside_statement(tokens, index):
        last = next((t.start[0] for t in rest if t.type == tokenize.NEWLINE), last)
    return range(row, last + 1)


def _inside_statement(tokens: list[tokenize.TokenInfo], index: int) -> bool:
    earlier = (tokens[position] for position in range(index - 1, -1, -1))
    before = next((token for token in earlier if token.type not in _NO_CODE), None)
    return before is not None and before.type != tokenize.NEWLINE


def _joined(tokens: list[tokenize.TokenInfo], lines: list[str]) -> Iterator[tuple[int, int]]:
    """Runs of rows with no place for a comment but at their end: long strings, backslashes."""
    first = last = 0
    for start, end in sorted(_hard_joins(tokens, lines)):
        if start > last:
            if first:
                yield first, last
            first = start
        last = max(last, end)
    if first:
        yield first, last


def _hard_joins(tokens: list[tokenize.TokenInfo], lines: list[str]) -> Iterator[tuple[int, int]]:
    starts: list[int] = []
    for token in tokens:
        kind = tokenize.tok_name[token.type]
        if kind == "STRING" and token.start[0] != token.end[0]:
            yield token.start[0], token.end[0]
        elif kind.endswith("STRING_START"):
            starts.append(token.start[0])
        elif kind.endswith("STRING_END") and starts and (begin := starts.pop()) != token.end[0]:
            yield begin, token.end[0]
    commented = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    for row, line in enumerate(lines, 1):
        if line.endswith("\\") and row < len(lines) and row not in commented:
            yield row, row + 1
