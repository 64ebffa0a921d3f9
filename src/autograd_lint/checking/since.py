"""Which versions of torch a finding holds for, where operators or names that it may hang on differ.

The engine of another version is asked what it finds in the same file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from autograd_lint.findings import Finding
from autograd_lint.operators.history import alike, spans
from autograd_lint.places import Place

_WORD = re.compile(r"\w+")


def dated(
    found: Sequence[Finding],
    target: str,
    text: str,
    asked: Collection[str] | None,
    again: Callable[[str], Sequence[Finding]],
) -> list[Finding]:
    """The findings for a version of torch; the reason of those that not all versions lead to says
    which do.

    `text` is what the program consists of: only names in it can make a difference, and of these
    only what the runs have `asked` the table for, where that is known. `again` tells what there is
    to be found for another version.
    """
    groups = alike(frozenset(_WORD.findall(text)), asked)
    if len(groups) == 1:
        return list(found)
    told = {
        group: frozenset(map(_key, found if target in group else again(group[0])))
        for group in groups
    }
    return [_with_versions(one, told) for one in found]


def _with_versions(
    finding: Finding, told: Mapping[tuple[str, ...], frozenset[tuple[str, Place]]]
) -> Finding:
    """A finding, with the versions that lead to it; `told` are the findings of all versions."""
    groups = [group for group, found in told.items() if _key(finding) in found]
    if len(groups) == len(told):
        return finding
    when = " and ".join(spans([version for group in groups for version in group]))
    return replace(finding, reason=f"{finding.reason}; {when}" if finding.reason else when)


def _key(finding: Finding) -> tuple[str, Place]:
    return finding.code, finding.place
