"""The names of a module that remember which of them were touched."""

from __future__ import annotations

from typing import Any


class Names(dict[str, Any]):
    """The names of a module; `touched` are those that were asked for, also in vain, or bound."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.touched.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self.touched.add(name)
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.touched.add(name)
        super().__setitem__(name, value)

    def get(self, name: str, default: Any = None) -> Any:
        self.touched.add(name)
        return super().get(name, default)

    def pop(self, name: str, *default: Any) -> Any:
        self.touched.add(name)
        return super().pop(name, *default)
