"""Writing the table: forms pooled, one record an operator."""

import json
from collections.abc import Iterable
from pathlib import Path

import torch

from autograd_lint.operators.encoding import encode, encode_default
from autograd_lint.operators.facts import Operator


def write(operators: Iterable[tuple[Operator, str]], path: str) -> None:
    """Write operators, each with its home, as a table file."""
    pool: dict[str, int] = {}
    records = {
        operator.name: _record(operator, home, pool)
        for operator, home in sorted(operators, key=lambda pair: pair[0].name)
    }
    version = torch.__version__.partition("+")[0]
    data = {
        "torch": version,
        "properties": properties(),
        "forms": list(pool),
        "operators": records,
    }
    _dump(data, path)


def properties() -> list[str]:
    """What tensors have besides methods."""
    names = (name for name in dir(torch.Tensor) if not name.startswith("_"))
    return [name for name in names if not callable(getattr(torch.Tensor, name))]


def _record(operator: Operator, home: str, pool: dict[str, int]) -> str:
    numbers = [pool.setdefault(encode(form), len(pool)) for form in operator.forms]
    fields = (
        home,
        " ".join(map(str, numbers)),
        " ".join(f"{word}={key}" for word, key in operator.keywords),
        " ".join(operator.options),
        " ".join(operator.parameters),
        " ".join(operator.buffers),
        " ".join(operator.constants),
        " ".join(map(encode_default, operator.defaults)),
    )
    return ";".join(fields)


def write_differences(
    found: Iterable[tuple[str, Operator | None, str]], absent: Iterable[str], path: str
) -> None:
    """Write what differs from the table on the torch that runs: operators by name, each with its
    home, None for one that there is not; and the dotted names that are absent."""
    pool: dict[str, int] = {}
    records = {
        name: None if operator is None else _record(operator, home, pool)
        for name, operator, home in sorted(found, key=lambda one: one[0])
    }
    version = torch.__version__.partition("+")[0]
    _dump(
        {
            "torch": version,
            "absent": sorted(absent),
            "forms": list(pool),
            "operators": records,
        },
        path,
    )


def _dump(data: object, path: str) -> None:
    text = json.dumps(data, indent=0, ensure_ascii=True)
    Path(path).write_text(text + "\n", encoding="utf-8")
