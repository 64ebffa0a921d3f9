"""What is shown where the pointer rests: the page of the rule that a finding or comment names."""

import re
from collections.abc import Iterator

from lsprotocol import types
from pygls.workspace import PositionCodec

from autograd_lint.places import Place
from autograd_lint.project import suppressions
from autograd_lint.project.source import Source
from autograd_lint.rules import pages
from autograd_lint.rules.registry import by_code_or_name
from autograd_lint.server.checking import Result
from autograd_lint.server.columns import touches
from autograd_lint.server.diagnostics import place_range
from autograd_lint.server.programs import Part

_WORD = re.compile(r"[\w-]+")


def hover(
    result: Result, part: Part, at: types.Position, codec: PositionCodec
) -> types.Hover | None:
    """The pages of the rules that are named or found at a position; None where there are none."""
    point = types.Range(at, at)
    named = dict.fromkeys(
        code
        for code, place in (*_commented(part), *_found(result, part))
        if touches(place_range(place, result, codec), point)
    )
    rules = [rule for code in named if (rule := by_code_or_name(code)) is not None]
    if not rules:
        return None
    text = "\n---\n\n".join(pages.page(rule) for rule in rules)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def _found(result: Result, part: Part) -> Iterator[tuple[str, Place]]:
    for finding in (*result.findings, *result.held):
        if finding.place.filename == part.name:
            yield finding.code, finding.place


def _commented(part: Part) -> Iterator[tuple[str, Place]]:
    """The codes and names in comments that silence."""
    source = Source(part.name, part.text)
    for comment in suppressions.read(source).comments:
        for word in _WORD.finditer(comment.text):
            start, end = comment.column + word.start() + 1, comment.column + word.end() + 1
            yield word[0], Place(part.name, comment.row, start, comment.row, end)
