"""Comments that silence nothing (AG902), and the edits that take them away."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from autograd_lint.configuration.selection import UNUSED_SUPPRESSION, specificity
from autograd_lint.findings import Edit, Finding, Fix, Severity
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.project.suppressions import Suppression, Suppressions

NAME = "unused-suppression"
Used = Collection[tuple[Suppression, str]]
"""The comments that silenced something, each with the code of what it silenced."""


@immutable
class Rules:
    """The names of all rules by code, and whether the findings of one would be shown."""

    names: Mapping[str, str]
    shows: Callable[[str, str], bool]


def unused(
    source: Source, suppressions: Suppressions, used: Used, rules: Rules
) -> Iterator[Finding]:
    """A finding for each comment of `source` that says more than it silences.

    A bare `# noqa` may be meant for another linter, and a code that is no rule of this one too.
    """
    for comment in suppressions.comments:
        silenced = {(code, rules.names.get(code, "")) for one, code in used if one == comment}
        if not comment.codes:
            if not silenced and not comment.is_noqa:
                yield _finding(source, comment, (), "it silences nothing")
            continue
        idle = [code for code in comment.codes if _is_idle(code, silenced, comment, rules)]
        if idle:
            quoted = ", ".join(f"`{code}`" for code in idle)
            yield _finding(source, comment, idle, f"{quoted} silences nothing here")


def _is_idle(
    selector: str, silenced: set[tuple[str, str]], comment: Suppression, rules: Rules
) -> bool:
    if any(specificity(selector, code, name) for code, name in silenced):
        return False
    meant = [
        (code, name) for code, name in rules.names.items() if specificity(selector, code, name)
    ]
    if not meant:
        return not comment.is_noqa
    if any(code == UNUSED_SUPPRESSION for code, _ in meant):
        return False
    # What is not looked for cannot be told from what is not there.
    return all(rules.shows(code, name) for code, name in meant)


def _finding(source: Source, comment: Suppression, idle: Sequence[str], why: str) -> Finding:
    start, end = comment.column + 1, comment.column + len(comment.text) + 1
    place = Place(source.filename, comment.row, start, comment.row, end)
    keeps = [code for code in comment.codes if code not in idle]
    edit = _less(comment, keeps, place) if keeps else _gone(source, place)
    return Finding(
        UNUSED_SUPPRESSION,
        NAME,
        f"unused suppression: {why}",
        place,
        severity=Severity.WARNING,
        label="silences nothing",
        reason="an unused comment hides later findings on this line",
        help="take it away",
        fix=Fix("safe", "Remove the comment", (edit,)),
        noqa_row=comment.row,
    )


def _less(comment: Suppression, keeps: Sequence[str], place: Place) -> Edit:
    """The comment with the codes that do silence something."""
    head, tail = (comment.text.partition("[")[0] + "[", "]")
    if comment.is_noqa:
        head, tail = comment.text.partition(":")[0] + ": ", ""
    return Edit(head + ", ".join(keeps) + tail, place)


def _gone(source: Source, place: Place) -> Edit:
    """The line without the comment; no line where nothing else stands on it."""
    line = source.lines[place.row - 1]
    before, behind = line[: place.column - 1], line[place.end_column - 1 :]
    name, row = place.filename, place.row
    if behind.strip() and not behind.lstrip().startswith("#"):
        skipped = len(behind) - len(behind.lstrip())
        return Edit("# ", Place(name, row, place.column, row, place.end_column + skipped))
    if not before.strip() and not behind.strip() and row < len(source.lines):
        return Edit("", Place(name, row, 1, row + 1, 1))
    start = len(before.rstrip()) + 1
    if behind.strip():  # another comment, which keeps the space before it
        start, end = place.column, place.end_column + len(behind) - len(behind.lstrip())
        return Edit("", Place(name, row, start, row, end))
    return Edit("", Place(name, row, start, row, len(line) + 1))
