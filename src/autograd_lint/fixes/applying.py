"""Fixes applied to one file, until there is nothing left to fix; and which of them hold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograd_lint.findings import Finding
from autograd_lint.fixes.mending import Mender, Recheck, State, applicable, document_of


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file after its fixes, and how many findings they mended."""

    data: bytes
    count: int


def apply(
    data: bytes, filename: str, found: Sequence[Finding], recheck: Recheck, unsafe: bool
) -> Fixed:
    """Apply the fixes of `found`, and of what is found after that; raises as reading it does.

    Fixes that overlap wait for the next round. A fix that does not hold is not applied.
    """
    mender = Mender(filename, recheck, unsafe)
    state, together = State(document_of(data, filename), found), True
    while mender.tries:
        wanted = mender.compatible(state, state.found)
        wanted = wanted if together else wanted[:1]
        if not wanted:
            break
        mended = mender.mended(state, wanted)
        if mended is not None:
            state = mended
        elif len(wanted) == 1:
            mender.refuse(state, wanted[0])
        else:
            together = False
    return Fixed(state.document.encoded(), state.count)


def proven(
    data: bytes, filename: str, found: Sequence[Finding], recheck: Recheck
) -> tuple[Finding, ...]:
    """The findings in a file without those fixes that do not hold; raises as reading it does.

    A fix holds if the finding is gone with it, and what it leads to can be fixed as well. They are
    tried all at once where they do not overlap, else one by one, and no more than can be tried.
    """
    mender = Mender(filename, recheck, unsafe=True)
    state = State(document_of(data, filename), found)
    good = mender.compatible(state, found)
    if mender.mended(state, good) is None:
        good = []
    for finding in found:
        if finding not in good and mender.may_fix(state, finding):
            good += [finding] if mender.mended(state, [finding]) is not None else []
    return tuple(_without_fix(one) if _offers(one) and one not in good else one for one in found)


def _offers(finding: Finding) -> bool:
    return applicable(finding, unsafe=True)


def _without_fix(finding: Finding) -> Finding:
    return replace(finding, fix=None)
