"""Values in place of what a witness does not have: missing modules, configurations."""

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

_SIZES = ("dim", "size", "hidden", "feature", "channel", "width", "height", "embed", "in", "out")


class StandIn(int):
    """Stands for anything: a small number, a function that returns its argument, a base class."""

    def __new__(cls, value: int = 8) -> "StandIn":
        return super().__new__(cls, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return guess(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (len(args) == 1 and isinstance(args[0], type)) or callable(args[0] if args else None):
            return args[0]  # a decorator
        return args[0] if args else StandIn()

    def __getitem__(self, key: object) -> Any:
        return guess(key) if isinstance(key, str) else StandIn()

    def __iter__(self) -> Iterator[Any]:
        return iter((StandIn(), StandIn()))

    def __len__(self) -> int:
        return 2

    def __enter__(self) -> "StandIn":
        return self

    def __exit__(self, *details: object) -> None:
        return None

    def __mro_entries__(self, bases: object) -> tuple[type, ...]:
        from torch import nn

        return (nn.Module,)


def guess(name: str) -> Any:
    """A value that a setting of this name could have."""
    lowered = name.lower()
    if lowered in ("lr", "learning_rate", "eps", "momentum", "alpha", "beta", "gamma", "tau"):
        return 0.5
    if "dropout" in lowered or lowered.endswith(("prob", "rate")) or lowered == "p":
        return 0.0
    if "head" in lowered or "layer" in lowered or "depth" in lowered or "epoch" in lowered:
        return StandIn(2)
    if "kernel" in lowered:
        return StandIn(3)
    if lowered in ("stride", "groups", "dilation"):
        return StandIn(1)
    if lowered in ("bias", "affine") or lowered.startswith(("use_", "is_", "has_", "with_")):
        return True
    if lowered == "device":
        return "cpu"
    return StandIn()


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return StandIn()


class MissingModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports that fail elsewhere get a module of stand-ins. `used` are their names."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] in ("torch", "numpy") or _asked_by_library():
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        self.used.append(spec.name)
        module = _Module(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        return None


def _asked_by_library() -> bool:
    """Whether a library asks, which knows how to do without."""
    frame = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        if frame.f_back is None:
            return False
        frame = frame.f_back
    name = frame.f_code.co_filename
    return "site-packages" in name or name.startswith((sys.base_prefix, "<"))
