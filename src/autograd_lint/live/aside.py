"""Where the tracer is out of the way altogether: torch makes a graph of what runs.

`torch.jit.trace` and the like record operators from below Python, and refuse those that a dispatch
mode has passed on. (What make_fx, export and the compiler trace passes through the mode, which
hands it on unseen: `private.is_traced_by_torch`.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.patching import Patches, named_like
from autograd_lint.live.recorder import Recorder

# What every kind of `torch.jit.trace` runs in, however the program has imported it, and its check.
_TRACING: tuple[tuple[Any, str], ...] = (
    (torch.jit._trace, "_check_trace"),
    (torch._C, "_create_function_from_trace"),
    (torch._C, "_create_function_from_trace_with_dict"),
    (torch._C, "_create_graph_by_tracing"),
    (torch._C.ScriptModule, "_create_method_from_trace"),
    (torch._C.ScriptModule, "_create_method_from_trace_with_dict"),
)


class Aside:
    """While open, the running thread's recorder sees nothing of what torch traces itself."""

    __slots__ = ("_patches", "_recorder")

    def __init__(self, recorder: Callable[[], Recorder | None]) -> None:
        self._recorder = recorder
        self._patches = Patches()

    def open(self) -> None:
        """Start to stand aside."""
        for owner, name in _TRACING:
            if hasattr(owner, name):
                self._patches.replace(owner, name, self._aside(getattr(owner, name)))

    def close(self) -> None:
        """Leave torch as it was."""
        self._patches.close()

    def _aside(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @passes_on
        @named_like(original)
        def traced(*args: Any, **kwargs: Any) -> Any:
            recorder = self._recorder()
            if recorder is None:
                return original(*args, **kwargs)
            suspended = not recorder.is_suspended and recorder.suspend()
            try:
                with recorder.resting.as_it_is():
                    return original(*args, **kwargs)
            finally:
                if suspended:
                    recorder.resume()

        return traced
