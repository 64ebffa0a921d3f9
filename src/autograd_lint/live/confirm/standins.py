"""Values in place of what a witness does not have: missing modules, configurations."""

import ast
import importlib.abc
import importlib.machinery
import linecache
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import FrameType, ModuleType
from typing import Any


class StandIn(int):
    """Stands for anything: a small number, a function that returns its argument, a base class."""

    def __new__(cls, value: int = 8) -> "StandIn":
        return super().__new__(cls, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = guess(name)
        return value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StandIn):
            return self is other  # two members of an enumeration differ
        return int(self) == other

    def __hash__(self) -> int:
        return id(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else None  # a decorator's function, or what is to be transformed
        return given if callable(given) or hasattr(given, "requires_grad") else StandIn()

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
    if lowered in ("dimensions", "ndim", "ndims", "spatial_dims"):
        return StandIn(2)
    if "clip" in lowered or "clamp" in lowered:
        return 0.5
    if "kernel" in lowered:
        return StandIn(3)
    if lowered in ("stride", "groups", "dilation"):
        return StandIn(1)
    if lowered in ("bias", "affine") or lowered.startswith(("use_", "is_", "has_", "with_")):
        return True
    if lowered.endswith("device"):
        return "cpu"
    for ending, base in (("error", Exception), ("exception", Exception), ("warning", Warning)):
        if lowered.endswith(ending):
            return type(name, (base,), {})
    return StandIn()


_NUMBERS = (
    "num", "n_", "size", "dim", "eps", "lr", "decay", "alpha", "beta", "momentum", "scale",
    "ratio", "rate", "prob", "step", "epoch", "max", "min", "count", "length", "device",
)  # fmt: skip


def is_number(name: str) -> bool:
    """Whether a name speaks of a setting rather than of data."""
    lowered = name.lower()
    return any(word in lowered for word in _NUMBERS) or (len(name) == 1 and lowered in "ijkn")


_WORDS = {
    "activation": "ReLU",
    "nonlinearity": "relu",
    "pool": "max",
    "norm": "batch",
    "reduc": "mean",
    "padding": "zeros",
    "mode": "mean",
}


def guess_word(name: str) -> str:
    """A word that a setting of this name could have."""
    return next((word for part, word in _WORDS.items() if part in name.lower()), "relu")


class Record:
    """An object whose members `make` makes: whole numbers where the name speaks of indices."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        import torch

        if any(part in name.lower() for part in ("index", "idx", "label", "batch")):
            value = torch.randint(0, 2, (2, 8))
        else:
            value = guess(name) if is_number(name) else self._make()
        self.__dict__[name] = value
        return value


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "99.0"
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = guess(name)
        return value


class MissingModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports that fail elsewhere get a module of stand-ins. `used` are their names.

    An import that its file is prepared to see fail (inside of a `try`) fails, and a question
    whether a module is there is answered with no.
    """

    def __init__(self) -> None:
        self.used: list[str] = []

    @property
    def assumptions(self) -> list[str]:
        """What it stood in for."""
        return [f"a stand-in for the module `{used}`" for used in self.used]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        asking = _asking()
        if asking is None or is_tried(asking.f_code.co_filename, asking.f_lineno):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        self.used.append(spec.name)
        module = _Module(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        return None


def _asking() -> FrameType | None:
    """The frame of the import statement; None for questions by `importlib.util` and the like."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    if frame is None or "importlib" in frame.f_code.co_filename:
        return None
    return frame


@cache
def _tried_rows(filename: str) -> frozenset[int]:
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    rows: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            rows.update(range(node.lineno, (node.body[-1].end_lineno or node.lineno) + 1))
    return frozenset(rows)


def is_tried(filename: str, row: int) -> bool:
    """Whether a row of a file lies in a `try` that handles errors."""
    return row in _tried_rows(filename)


def forgive_imports(tree: ast.Module) -> None:
    """Give stand-ins to the names of imports that fail; the tree is changed in place."""
    for index, statement in enumerate(tree.body):
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            continue
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            continue
        names = [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
        lines = [f"    {name} = {_OWN}()" for name in names if name != "*"] or ["    pass"]
        text = f"try: pass\nexcept Exception:\n    from {__name__} import StandIn as {_OWN}\n"
        guarded = ast.parse(text + "\n".join(lines)).body[0]
        assert isinstance(guarded, ast.Try)
        for node in ast.walk(guarded):
            if "lineno" in node._attributes:
                ast.copy_location(node, statement)
        guarded.body = [statement]
        tree.body[index] = guarded


_OWN = "_autograd_lint_stand_in"
