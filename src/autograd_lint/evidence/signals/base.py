"""What a signal is: something in a project that speaks for or against a finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.evidence.assumption_origin import constructor_methods, given_names
from autograd_lint.evidence.observed_arguments import Run
from autograd_lint.facts.argument_origins import Origin, Origins, together
from autograd_lint.facts.callers import Owner
from autograd_lint.immutable import immutable
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

# What cannot go wrong without grad mode.
RECORDED = {
    FaultKind.NUMPY_ON_GRAD,
    FaultKind.SAVED_TENSOR_MODIFIED,
    FaultKind.VIEW_MODIFIED,
}


@dataclass(frozen=True)
class Case:
    """A fault that was found by running code of a file, and what a signal may look at.

    `owner` is the function or class of that file around `row`, which the fault speaks of first.
    `run` runs a caller while somebody listens to what it gives.
    """

    fault: Fault
    source: Source
    owner: Owner
    row: int
    project: Project
    run: Run

    @cached_property
    def rests_on_given(self) -> bool:
        """Whether something that the code is given must require grad."""
        return any(why.given and why.weight for why in self.fault.assumptions)

    @cached_property
    def needs_given(self) -> bool:
        """Whether that is so for an error to be raised."""
        return self.rests_on_given and isinstance(self.fault.kind, FaultKind)

    @cached_property
    def rests_on_callers(self) -> bool:
        """Whether it hangs on what callers give, or do with what they get."""
        return self.rests_on_given or any(why.called for why in self.fault.assumptions)

    @cached_property
    def origin_of_given(self) -> Origin:
        """Where what must require grad comes from: a function is given it, or its object was."""
        owners = constructor_methods(self.fault, self.owner) or [self.owner]
        pairs = ((owner, name) for owner in owners for name in given_names(self.fault))
        return together(Origins(self.project).of_parameter(*pair) for pair in pairs)


def nothing(owner: Owner) -> str:
    """No name."""
    return ""


def name_of(owner: Owner) -> str:
    """The name by which others call a function, or make objects of a class."""
    return owner.name


@immutable
class Signal:
    """Something in a project that speaks for or against a finding where `speaks` says so.

    `assumes` is what the finding then takes for granted in spite of it, and `about` gives the name
    of what that is said of, by the function or class around. `data` says that what the code is
    given is rather data. A signal with neither is only counted. A `costly` one is asked where
    nothing else is against the finding.
    """

    name: str
    speaks: Callable[[Case], bool]
    assumes: Kind | None = None
    about: Callable[[Owner], str] = nothing
    data: bool = False
    costly: bool = False
