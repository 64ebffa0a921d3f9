"""An error that a worker of a DataLoader met: its message quotes the worker's traceback."""

import re
from dataclasses import replace

from autograd_lint.engine.events import Noted
from autograd_lint.engine.faults import STACKED_BY_WORKER, Fault
from autograd_lint.live.causes.tensors import of_tensor
from autograd_lint.live.failure import Failure
from autograd_lint.live.record import Record
from autograd_lint.live.source import line

_QUOTES = "Original Traceback"
_STACKS = "stack(): functions with out="
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def in_worker(failure: Failure) -> Noted | None:
    """The innermost line of the program in the quoted traceback; None where there is none."""
    _, found, quoted = failure.message.partition(_QUOTES)
    frames = _FRAME.findall(quoted) if found else []
    own = [frame for frame in frames if failure.around.sites.is_user_file(frame[0])]
    return Noted(line(own[-1][0], int(own[-1][1])), "raised in a worker here") if own else None


def without_traceback(failure: Failure) -> Failure:
    """The failure with the worker's own message, which stands in the last line of what it quotes.

    The exception itself stays as it is.
    """
    if _QUOTES not in failure.message:
        return failure
    lines = failure.message.strip().splitlines()
    kind, _, text = lines[-1].partition(": ")
    return replace(failure, said=text or kind)


def of_stacked(failure: Failure, record: Record) -> Fault | None:
    """A batch of tensors that require grad, which a worker stacks: what the loader was given."""
    if _QUOTES not in str(failure.error) or _STACKS not in failure.message:
        return None
    fault = of_tensor(failure, record) or failure.fault
    return replace(fault, operator="DataLoader", detail=STACKED_BY_WORKER)
