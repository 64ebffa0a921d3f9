"""A call that should have come between two others, and was not come by."""

from dataclasses import replace

from autograd_lint.engine.events import Noted
from autograd_lint.engine.faults import Fault
from autograd_lint.live.bindings import calls_near
from autograd_lint.live.failure import Failure
from autograd_lint.live.naming import receiver_at
from autograd_lint.live.record import Record

# A part of a message -> the method that was to be called before.
_WANTED = (("since the last update()", "update"),)


def of_skipped(failure: Failure, record: Record) -> Fault | None:
    """Where the function that raises calls what was wanted, which this time it did not reach."""
    method = next((name for part, name in _WANTED if part in failure.message), None)
    owner = receiver_at(failure.raised)
    if method is None or owner is None or failure.raised is None:
        return None
    said = f"`{owner}.{method}()` was not come by"
    places = calls_near(f"{owner}.{method}", failure.raised)
    return replace(failure.fault, noted=tuple(Noted(place, said) for place in places))
