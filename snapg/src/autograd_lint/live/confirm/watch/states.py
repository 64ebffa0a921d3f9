"""States of modules that are overwritten before they are loaded back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any
from weakref import ref

import torch

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.sights import NOWHERE, Rows, Sights
from autograd_lint.live.contents import Digest, differ, digest
from autograd_lint.live.patching import Patches
from autograd_lint.live.private import unobserved


class States:
    """Remembers what the tensors of every `state_dict()` held; keeps none alive."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._kept: dict[int, tuple[ref[torch.Tensor], Digest | None, Rows]] = {}

    def open(self, patches: Patches) -> None:
        """Start to look."""
        given: Any = torch.nn.Module.state_dict
        loaded: Any = torch.nn.Module.load_state_dict

        @wraps(given)
        def state_dict(module: Any, *args: Any, **kwargs: Any) -> Any:
            state = given(module, *args, **kwargs)
            if not args and "destination" not in kwargs:  # else it is of a part
                self._given(state)
            return state

        @wraps(loaded)
        def load_state_dict(module: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(state, Mapping):
                self._loaded(module, state)
            return loaded(module, state, *args, **kwargs)

        patches.replace(torch.nn.Module, "state_dict", state_dict)
        patches.replace(torch.nn.Module, "load_state_dict", load_state_dict)

    def _given(self, state: Any) -> None:
        rows = self._sights.rows()
        for tensor in state.values():
            if isinstance(tensor, torch.Tensor):
                self._kept[id(tensor)] = ref(tensor), digest(tensor), rows

    def _loaded(self, module: torch.nn.Module, state: Mapping[str, Any]) -> None:
        with torch.no_grad(), unobserved():
            for name, own in module.named_parameters():
                kept, before, rows = self._kept.get(id(state.get(name)), (None, None, NOWHERE))
                given = None if kept is None else kept()
                if given is None or id(given) != id(state.get(name)):
                    continue
                if given.data_ptr() == own.data_ptr() and differ(before, digest(given)):
                    self._sights.add(Pitfall.STATE_OVERWRITTEN, rows, self._sights.rows())
