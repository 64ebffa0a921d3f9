"""Fixes applied to one file, until there is nothing left to fix; and which of them hold."""

from collections.abc import Sequence
from dataclasses import replace

from autograd_lint.findings import Finding
from autograd_lint.fixes.mending import (
    MOST_TRIES,
    Mender,
    Recheck,
    State,
    applicable,
    document_of,
)
from autograd_lint.immutable import immutable


@immutable
class Fixed:
    """A file after its fixes, and how many findings they mended."""

    data: bytes
    count: int


def apply(
    data: bytes, filename: str, found: Sequence[Finding], recheck: Recheck, unsafe: bool
) -> Fixed:
    """Apply the fixes of `found`, and of what is found after that; raises as reading it does.

    Fixes that overlap wait for the next round, and so does the latter half of those that do not
    hold together. A fix that does not hold is not applied.
    """
    mender = Mender(filename, recheck, unsafe)
    state = State(document_of(data, filename), found)
    wanted = mender.compatible(state, state.found)
    while wanted and mender.tries:
        mended = mender.mended(state, wanted)
        if mended is None and len(wanted) > 1:
            wanted = wanted[: len(wanted) // 2]
            continue
        if mended is None:
            mender.refuse(state, wanted[0])
        state = mended or state
        wanted = mender.compatible(state, state.found)
    return Fixed(state.document.encoded(), state.count)


def proven(
    data: bytes,
    filename: str,
    found: Sequence[Finding],
    recheck: Recheck,
    wanted: Sequence[Finding] | None = None,
    tries: int = MOST_TRIES,
) -> tuple[Finding, ...]:
    """The findings in a file without those fixes that do not hold; raises as reading it does.

    A fix holds if the finding is gone with it, and what it leads to can be fixed as well. No more
    are tried than can be in so many `tries`, and of some `wanted` findings only theirs.
    """
    mender = Mender(filename, recheck, unsafe=True, tries=tries)
    state = State(document_of(data, filename), found)
    asked = [one for one in (found if wanted is None else wanted) if _offers(one)]
    together = mender.compatible(state, asked)
    apart = [one for one in asked if one not in together and mender.may_fix(state, one)]
    good = _holding(mender, state, together)
    good += [one for finding in apart for one in _holding(mender, state, [finding])]
    bad = [one for one in asked if one not in good]
    return tuple(replace(one, fix=None) if one in bad else one for one in found)


def _holding(mender: Mender, state: State, group: list[Finding]) -> list[Finding]:
    """The findings of a group whose fixes hold: all of them, or those that hold in either half."""
    if not group or mender.mended(state, group) is not None:
        return group
    half = len(group) // 2
    parts = (group[:half], group[half:]) if half else ()
    return [one for part in parts for one in _holding(mender, state, part)]


def _offers(finding: Finding) -> bool:
    return applicable(finding, unsafe=True)
