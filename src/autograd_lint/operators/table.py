"""The operator table: found by the dotted names of the user's program, decoded when asked.

The data in `table.json` were measured by `python -m autograd_lint.operators.measure`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from autograd_lint.operators.encoding import decode
from autograd_lint.operators.facts import Operator

PATH = Path(__file__).with_name("table.json")


class Table:
    """What the operators of one torch version do to autograd."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take the decoded JSON of a table file."""
        self.torch_version: str = data["torch"]
        self.properties: frozenset[str] = frozenset(data["properties"])
        """What tensors have besides methods."""
        self._forms: list[str] = data["forms"]
        self._records: dict[str, str] = data["operators"]
        self._found: dict[str, Operator] = {}

    def __iter__(self) -> Iterator[str]:
        """The names of all operators, as the table has them."""
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def find(self, dotted: str) -> Operator | None:
        """The operator behind a dotted name (`torch.Tensor.add_`), None where there is none."""
        for name, letter in _candidates(dotted):
            record = self._records.get(name)
            if record is not None and (not letter or letter in _home(record)):
                return self.operator(name)
        return None

    def operator(self, name: str) -> Operator:
        """The operator of that name in the table; raises KeyError where there is none."""
        if name not in self._found:
            self._found[name] = self._decode(name)
        return self._found[name]

    def is_tensor_method(self, name: str) -> bool:
        """Whether tensors have a method or property of that name that the table knows."""
        return self.find(f"torch.Tensor.{name}") is not None

    def is_layer(self, name: str) -> bool:
        """Whether the operator of that name in the table is a layer of `torch.nn`."""
        return name in self._records and "l" in _home(self._records[name])

    def numbered(self, package: str, parts: Sequence[str]) -> str | None:
        """The middle one of the operators of a package whose names differ in a number alone.

        `nn.Conv1d`, `nn.Conv2d` and `nn.Conv3d` do the same to autograd; `parts` is what stands
        around the number. None where there are not several.
        """
        within = f"{package}.".removeprefix("torch.")
        shape = re.compile(re.escape(within) + r"\d+".join(map(re.escape, parts)))
        found = sorted(name for name in self._records if shape.fullmatch(name))
        return found[len(found) // 2].removeprefix(within) if len(found) > 1 else None

    def _decode(self, name: str) -> Operator:
        fields = self._records[name].split(";")
        _, forms, keywords, options, parameters, buffers, constants = fields
        pairs = (text.split("=") for text in keywords.split())
        return Operator(
            name=name,
            forms=tuple(decode(self._forms[int(number)]) for number in forms.split()),
            keywords=tuple((keyword, key) for keyword, key in pairs),
            options=tuple(options.split()),
            parameters=tuple(parameters.split()),
            buffers=tuple(buffers.split()),
            constants=tuple(constants.split()),
        )


@cache
def load() -> Table:
    """The table shipped with the package."""
    return Table(json.loads(PATH.read_text(encoding="utf-8")))


def _home(record: str) -> str:
    """Where a name lives: `t` in torch, `m` on tensors, `l` a layer, `o` elsewhere."""
    return record.partition(";")[0]


def _candidates(dotted: str) -> list[tuple[str, str]]:
    """Names in the table that a dotted name may stand for, with the home asked for."""
    head, _, name = dotted.rpartition(".")
    if head in (
        "torch.Tensor",
        "torch._tensor.Tensor",
        "torch._C.TensorBase",
        "torch.nn.Parameter",
    ):
        return [(f"Tensor.{name}", "m"), (name, "m")]
    if head in ("torch", "torch.functional", "torch._C._VariableFunctions"):
        return [(name, "t")]
    if head.startswith("torch.nn.modules"):
        return [(f"nn.{name}", "l")]
    return [(dotted[len("torch.") :], "")] if dotted.startswith("torch.") else []
