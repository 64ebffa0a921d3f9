"""Lets programs that ask for CUDA run where there is none: on the CPU, and copying as it would."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograd_lint.live.patching import Patches

_SILENT = ("empty_cache", "set_device", "synchronize", "reset_peak_memory_stats")


class WithoutCuda:
    """While open, what is moved to CUDA is copied; does nothing where torch sees a CUDA device.

    `used` says that a program asked for it.
    """

    def __init__(self, tree: ast.Module) -> None:
        """In `tree`, which is changed in place, `device="cuda"` becomes the CPU."""
        self.used = False
        self._tree = tree
        self._patches = Patches()

    def __enter__(self) -> WithoutCuda:
        if torch.cuda.is_available():
            return self
        for node in ast.walk(self._tree):
            if isinstance(node, ast.keyword) and node.arg == "device":
                self._make_here(node.value)
        for name in _SILENT:
            self._patches.replace(torch.cuda, name, lambda *args, **kwargs: None)
        self._patches.replace(torch.Tensor, "cuda", lambda one, *args, **kwargs: self._copy(one))
        self._patches.replace(torch.Tensor, "to", self._moving(torch.Tensor.to))
        self._patches.replace(nn.Module, "cuda", lambda module, *args, **kwargs: module)
        self._patches.replace(nn.Module, "to", self._moving(nn.Module.to))
        return self

    def __exit__(self, *details: object) -> None:
        self._patches.close()

    def _make_here(self, device: ast.expr) -> None:
        if isinstance(device, ast.Constant) and _is_cuda(device.value):
            device.value, self.used = "cpu", True

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        self.used = True
        return tensor.clone()

    def _moving(self, move: Callable[..., Any]) -> Callable[..., Any]:
        def moved(owner: Any, *args: Any, **kwargs: Any) -> Any:
            given = [*args, *kwargs.values()]
            if not any(map(_is_cuda, given)):
                return move(owner, *args, **kwargs)
            owner = self._copy(owner) if isinstance(owner, torch.Tensor) else owner
            args = tuple(one for one in args if not _is_cuda(one))
            kwargs = {key: one for key, one in kwargs.items() if not _is_cuda(one)}
            return move(owner, *args, **kwargs) if args or kwargs else owner

        return moved


def _is_cuda(value: object) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and value.partition(":")[0] == "cuda"
