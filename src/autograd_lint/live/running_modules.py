"""Which module of the program runs, as the program speaks of it: `net.1 (ReLU, inplace=True)`.

Operators of a library's layers all run at the one line of the program that calls the outermost of
them. Nothing of the program is called to find the name: modules are looked up where they are
registered.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from types import CodeType, FrameType
from weakref import ref

import torch

from autograd_lint.live.naming import call_at
from autograd_lint.places import Place

CALL: CodeType = torch.nn.Module._call_impl.__code__
"""The code that runs when a module is called."""
_LONGEST = 40  # characters of an expression by which a program speaks of a module


class Paths:
    """The paths of modules in the one that the program has called, kept for the latest of these."""

    __slots__ = ("_paths", "_root")

    def __init__(self) -> None:
        self._root: ref[torch.nn.Module] | None = None
        self._paths: dict[int, str] = {}

    def name(self, outer: FrameType, inner: FrameType, place: Place) -> str:
        """What to call the module of the innermost of two frames that run `CALL`, called by the
        program at a place; the outermost is that of the module which the program names."""
        root, module = outer.f_locals["self"], inner.f_locals["self"]
        said = _said(place) or type(root).__name__
        path = self._path(root, module)
        name = said if root is module else f"{said}.{path or '...'}"
        return f"`{name}` ({_described(module)})"

    def _path(self, root: torch.nn.Module, module: torch.nn.Module) -> str:
        known = self._root() if self._root is not None else None
        if known is not root or id(module) not in self._paths:
            self._root, self._paths = ref(root), _paths_in(root)
        return self._paths.get(id(module), "")


def _paths_in(root: torch.nn.Module) -> dict[int, str]:
    """The path of every module below one, by its number."""
    found: dict[int, str] = {}
    waiting = [(root, "")]
    while waiting:
        module, path = waiting.pop()
        if id(module) in found:
            continue
        found[id(module)] = path
        registered = vars(module).get("_modules")  # what was compiled keeps it elsewhere
        for name, part in reversed(registered.items()) if isinstance(registered, dict) else ():
            if part is not None:
                waiting.append((part, f"{path}.{name}" if path else name))
    return found


@lru_cache(maxsize=256)
def _said(place: Place) -> str:
    """How the program speaks of the module that it calls at a place; empty where it does not."""
    call = call_at(place)
    said = ast.unparse(call.func) if call is not None else ""
    return said if len(said) <= _LONGEST else ""


def _described(module: torch.nn.Module) -> str:
    in_place = ", inplace=True" if vars(module).get("inplace") is True else ""
    return f"{type(module).__name__}{in_place}"
