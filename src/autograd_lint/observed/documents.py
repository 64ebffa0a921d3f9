"""Facts of runs as JSON: written by `trace --record`, read by `check --facts`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from autograd_lint import disk
from autograd_lint.errors import Trouble
from autograd_lint.observed.calls import Call, Key, Observed
from autograd_lint.observed.values import Named, Object, Plain, Sequenced, Tensor, Value

VERSION = 1
_KIND = "autograd-lint facts"
_PLAIN = {"none", "true", "false", "int", "number", "text", "array", "other"}
_SEQUENCES = {"list", "tuple", "set"}
_Json = Mapping[str, object]


def text_of(observed: Observed) -> str:
    """The document: a function a line, in the order of files and names, so that versions of it
    can be compared."""
    rows = [
        json.dumps({**asdict(key), "calls": sorted(map(_call, calls), key=json.dumps)})
        for key, calls in sorted(observed.functions.items())
    ]
    head = f'"kind": "{_KIND}", "version": {VERSION}'
    return f'{{{head}, "functions": [\n' + ",\n".join(rows) + "\n]}\n"


def observed_in(text: str) -> Observed:
    """What a document holds; raises ValueError for what is none, or of another version."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("this is not JSON") from None
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise ValueError("these are no recorded facts")
    if document.get("version") != VERSION:
        raise ValueError(f"version {document.get('version')} is not known, {VERSION} is")
    found = Observed()
    try:
        for row in document["functions"]:
            key = Key(_text(row["file"]), _text(row["name"]), _text(row["text"]))
            for call in row["calls"]:
                found.add(key, _call_in(call))
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("a function in it is damaged") from None
    return found


def read(path: Path, said: str = "--facts") -> Observed:
    """What a file holds; raises Trouble, `said` tells who named the file."""
    try:
        return observed_in(disk.read_text(path))
    except OSError as error:
        raise Trouble(f"{said} {path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise Trouble(f"{said} {path}: this is not UTF-8; record it again") from None
    except ValueError as error:
        raise Trouble(f"{said} {path}: {error}; record it again") from None


def _call(call: Call) -> dict[str, object]:
    row = {
        "times": call.times,
        "trained": call.trained,
        "grad_mode_off": not call.grad_mode,
        "arguments": _value(call.arguments),
        "own": None if call.own is None else _value(call.own),
        "returned": None if call.returned is None else _value(call.returned),
    }
    return _told(row)


def _told(row: dict[str, object]) -> dict[str, object]:
    """A row without what goes without saying."""
    return {name: value for name, value in row.items() if value not in (False, None, "")}


def _value(value: Value) -> object:
    match value:
        case Plain(kind=kind):
            return kind
        case Sequenced():
            items = [_value(one) for one in value.items]
            return _told({"is": value.kind, "items": items, "more": value.more})
        case Named():
            entries = {name: _value(one) for name, one in value.entries}
            return _told({"is": "named", "entries": entries, "more": value.more})
        case Object():
            return _told({"is": "object", **asdict(value)})
        case Tensor():
            return _told({"is": "tensor", **asdict(value)})


def _call_in(row: _Json) -> Call:
    own, returned = row.get("own"), row.get("returned")
    return Call(
        _named(row["arguments"]),
        None if own is None else _named(own),
        None if returned is None else _value_in(returned),
        not _flag(row, "grad_mode_off"),
        _flag(row, "trained"),
        _count(row["times"]),
    )


def _named(row: object) -> Named:
    found = _value_in(row)
    if not isinstance(found, Named):
        raise TypeError
    return found


def _value_in(row: object) -> Value:
    if isinstance(row, str) and row in _PLAIN:
        return Plain(row)
    if not isinstance(row, dict):
        raise TypeError
    kind = row["is"]
    if kind in _SEQUENCES:
        return Sequenced(kind, tuple(map(_value_in, row["items"])), _flag(row, "more"))
    if kind == "named":
        entries = tuple((_text(name), _value_in(one)) for name, one in row["entries"].items())
        return Named(entries, _flag(row, "more"))
    if kind == "object":
        return Object(_text(row["cls"]), _flag(row, "module"))
    if kind == "tensor":
        return _tensor(row)
    raise TypeError


def _tensor(row: _Json) -> Tensor:
    shape = row.get("shape")
    if shape is not None and not isinstance(shape, list):
        raise TypeError
    return Tensor(
        _text(row["dtype"]),
        requires_grad=_flag(row, "requires_grad"),
        leaf=_flag(row, "leaf"),
        parameter=_flag(row, "parameter"),
        made_by=_text(row.get("made_by", "")),
        view_of=_text(row.get("view_of", "")),
        shape=None if shape is None else tuple(None if n is None else _count(n) for n in shape),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _flag(row: _Json, name: str) -> bool:
    value = row.get(name, False)
    if not isinstance(value, bool):
        raise TypeError
    return value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value
