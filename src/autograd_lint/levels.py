"""How sure a finding is, and how bad."""

from enum import Enum


class Certainty(Enum):
    """How sure a finding is; the order of declaration is from most to least certain."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """0 for the most certain."""
        return list(Certainty).index(self)

    def at_least(self, other: "Certainty") -> bool:
        """Whether this certainty is as certain as `other`, or more."""
        return self.rank <= other.rank


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
