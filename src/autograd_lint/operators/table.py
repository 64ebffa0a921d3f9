"""The operator table: found by the dotted names of the user's program, decoded when asked.

The data in `table.json` were measured by `python -m autograd_lint.operators.measure`. What other
versions of torch do differently stands in `versions/`, a file for each, written by
`python -m autograd_lint.operators.measure.comparing` on that torch.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from autograd_lint.immutable import immutable
from autograd_lint.operators.encoding import decode, decode_default
from autograd_lint.operators.facts import Operator

PATH = Path(__file__).with_name("table.json")
_VERSIONS = Path(__file__).with_name("versions")
_Version = tuple[int, int]


@immutable
class Contents:
    """What a table was read from: the records by name, which `own` says are this version's in its
    `own_forms`, the names of other versions that are `absent`, and what was decoded of it so far.

    `properties` are what tensors have besides methods.
    """

    torch_version: str
    properties: frozenset[str]
    records: dict[str, str]
    forms: list[str]
    own: frozenset[str] = frozenset()
    own_forms: Sequence[str] = ()
    absent: frozenset[str] = frozenset()
    found: dict[str, Operator] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Any], different: Mapping[str, Any] | None = None) -> "Contents":
        """Take the decoded JSON of a table file, and that of what another version does differently
        if the table is to be that version's."""
        properties, forms = frozenset(data["properties"]), data["forms"]
        if different is None:
            return cls(data["torch"], properties, data["operators"], forms)
        changed: dict[str, str | None] = different["operators"]
        every = {**data["operators"], **changed}
        return cls(
            different["torch"],
            properties,
            {name: one for name, one in every.items() if one},
            forms,
            frozenset(changed),
            different["forms"],
            frozenset(different["absent"]),
        )


class Table:
    """What the operators of one torch version do to autograd.

    `asked` are the names that it was asked for: where another version has the same by all of them,
    it gives the same answers.
    """

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._records = contents.records
        self._found = contents.found
        self.torch_version = contents.torch_version
        self.properties = contents.properties
        self.asked: set[str] = set()

    def afresh(self) -> "Table":
        """The same table, which nobody has asked yet."""
        return Table(self._contents)

    def __iter__(self) -> Iterator[str]:
        """The names of all operators, as the table has them."""
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, name: str) -> bool:
        self.asked.add(name)
        return name in self._records

    def own_names(self) -> frozenset[str]:
        """The names that this version lacks, or has an operator of its own by."""
        return self._contents.own | self._contents.absent

    def find(self, dotted: str) -> Operator | None:
        """The operator behind a dotted name (`torch.Tensor.add_`), None where there is none."""
        for name, letter in _candidates(dotted):
            self.asked.add(name)
            record = self._records.get(name)
            if record is not None and (not letter or letter in _home(record)):
                return self.operator(name)
        return None

    def operator(self, name: str) -> Operator:
        """The operator of that name in the table; raises KeyError where there is none."""
        self.asked.add(name)
        if name not in self._found:
            self._found[name] = self._decode(name)
        return self._found[name]

    def lacks(self, dotted: str) -> bool:
        """Whether this version has nothing of that dotted name (`torch.nn.Buffer`), though another
        one that was measured has."""
        self.asked.add(dotted)
        return dotted in self._contents.absent

    def is_tensor_method(self, name: str) -> bool:
        """Whether tensors have a method or property of that name that the table knows."""
        return self.find(f"torch.Tensor.{name}") is not None

    def is_layer(self, name: str) -> bool:
        """Whether the operator of that name in the table is a layer of `torch.nn`."""
        return name in self and "l" in _home(self._records[name])

    def numbered(self, package: str, parts: Sequence[str]) -> str | None:
        """The middle one of the operators of a package whose names differ in a number alone.

        `nn.Conv1d`, `nn.Conv2d` and `nn.Conv3d` do the same to autograd; `parts` is what stands
        around the number. None where there are not several.
        """
        within = f"{package}.".removeprefix("torch.")
        shape = re.compile(re.escape(within) + r"\d+".join(map(re.escape, parts)))
        found = sorted(name for name in self._records if shape.fullmatch(name))
        self.asked.update(found)
        return found[len(found) // 2].removeprefix(within) if len(found) > 1 else None

    def _decode(self, name: str) -> Operator:
        fields = self._records[name].split(";")
        _, numbers, keywords, options, parameters, buffers, constants, defaults = fields
        pairs = (text.split("=") for text in keywords.split())
        of = self._contents
        forms = of.own_forms if name in of.own else of.forms
        return Operator(
            name=name,
            forms=tuple(decode(forms[int(number)]) for number in numbers.split()),
            keywords=tuple((keyword, key) for keyword, key in pairs),
            options=tuple(options.split()),
            parameters=tuple(parameters.split()),
            buffers=tuple(buffers.split()),
            constants=tuple(constants.split()),
            defaults=tuple(map(decode_default, defaults.split())),
        )


@cache
def load(version: str | None = None) -> Table:
    """The table of a version of torch, one of `versions()`; by default of the one that the
    differences of all others are told of, which is as good a list of names as any."""
    if version is None:
        return Table(Contents.of(_read(PATH)))
    return Table(Contents.of(_read(PATH), _read(_VERSIONS / f"{version}.json")))


@cache
def versions() -> tuple[str, ...]:
    """The versions of torch that operators were measured on (`2.8`), the oldest first."""
    return tuple(sorted((path.stem for path in _VERSIONS.glob("*.json")), key=numbers))


def nearest(version: _Version) -> str:
    """The newest version measured that is not newer than `version`, else the oldest."""
    older = [one for one in versions() if numbers(one) <= version]
    return older[-1] if older else versions()[0]


@cache
def _read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def numbers(version: str) -> _Version:
    """A version as numbers, which can be compared."""
    major, _, minor = version.partition(".")
    return int(major), int(minor)


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
