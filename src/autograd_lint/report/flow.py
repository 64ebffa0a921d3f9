"""The places of a finding in the order in which a program comes to them."""

from autograd_lint.findings import Finding
from autograd_lint.immutable import immutable
from autograd_lint.places import Place

_ORDER = {"built": 0, "saved": 0, "modified": 1, "freed": 1, "needed": 2}


@immutable
class Step:
    """One place, the part it plays, and what happens there."""

    role: str
    message: str
    place: Place


def steps(finding: Finding) -> list[Step]:
    """Where a tensor is kept, then where it is written or freed, then where it is needed."""
    primary = Step(finding.role, finding.label or finding.message, finding.place)
    related = [Step(other.role, other.message, other.place) for other in finding.related]
    return sorted([primary, *related], key=lambda step: _ORDER.get(step.role, 1))
