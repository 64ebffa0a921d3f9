"""The names of a module that remember which of them were touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from autograd_lint.vm.values import Value

    _Names = dict[str, Value]
else:
    _Names = dict

T = TypeVar("T")


class Names(_Names):
    """The names of a module; `touched` are those that were asked for, also in vain, or bound."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.touched.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Value:
        self.touched.add(name)
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Value) -> None:
        self.touched.add(name)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self.touched.add(name)
        super().__delitem__(name)

    @overload
    def get(self, name: str, default: Value = None, /) -> Value: ...
    @overload
    def get(self, name: str, default: T, /) -> Value | T: ...
    def get(self, name: str, default: object = None, /) -> object:
        self.touched.add(name)
        return super().get(name, default)
