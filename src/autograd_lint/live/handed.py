"""Gradients that a hook, or the backward of a custom Function, is handed and writes to."""

from __future__ import annotations

import dis
from itertools import takewhile
from types import FrameType

import torch

from autograd_lint.live.private import storage_id


def is_handed(frame: FrameType, storage: int) -> bool:
    """Whether an argument of a running function, as it was given, is data in that memory."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount]:
        given = frame.f_locals.get(name)
        if isinstance(given, torch.Tensor) and not given.requires_grad:
            is_there = storage_id(given) == storage  # asked first: the next question takes long
            if is_there and _is_as_given(frame, name):
                return True
    return False


def _is_as_given(frame: FrameType, name: str) -> bool:
    """Whether no instruction that stands before the running one gives a name something else."""
    instructions = dis.get_instructions(frame.f_code)
    before = takewhile(lambda one: one.offset < frame.f_lasti, instructions)
    return not any(one.opname.startswith("STORE") and one.argval == name for one in before)
