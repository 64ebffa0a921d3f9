"""Modules whose `forward` is called past their hooks."""

from __future__ import annotations

from types import FrameType

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import Sights
from autograd_lint.live.sites import first_argument


def look_at_call(frame: FrameType, filename: str, sights: Sights) -> None:
    """A function begins, which a file may have called."""
    caller = frame.f_back
    if frame.f_code.co_name != "forward" or caller is None:
        return
    module = first_argument(frame)
    if caller.f_code.co_filename != filename or not isinstance(module, torch.nn.Module):
        return
    if module._forward_hooks or module._forward_pre_hooks:
        sights.add(Pitfall.FORWARD_CALLED, {caller.f_lineno})
