"""Command lines: an option is what it is by default, unless somebody asks for something else.

Source: https://docs.python.org/3/library/argparse.html
"""

from __future__ import annotations

from functools import partial

from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    DEFAULT,
    FOREIGN,
    Items,
    Mapping,
    Native,
    Unknown,
    Value,
    constant,
)

_FLAGS = {"store_true": False, "store_false": True}
_HINTS = {bool: "bool", int: "int", float: "number", str: "string"}


def make_parser(interp: Interpreter, call: Call) -> Value:
    """`argparse.ArgumentParser(...)`."""
    return _parser(interp, call, Mapping({}))


def _parser(interp: Interpreter, call: Call, options: Mapping) -> Unknown:
    """A parser, or a group of its options."""
    parser = Unknown(interp.text(call.node))
    methods = {
        "add_argument": _add,
        "add_argument_group": _group,
        "add_mutually_exclusive_group": _group,
        "set_defaults": _set,
        "parse_args": _parse,
        "parse_known_args": _parse_known,
    }
    for name, run in methods.items():
        native = Native(name, partial(run, options=options))
        parser.attributes["attribute", name] = native
    return parser


def _group(interp: Interpreter, call: Call, options: Mapping) -> Value:
    return _parser(interp, call, options)


def _add(interp: Interpreter, call: Call, options: Mapping) -> Value:
    """`add_argument("--name", action=..., default=...)`."""
    flags = [name for name in call.args if isinstance(name, str) and name.startswith("-")]
    first = next((name for name in flags if name.startswith("--")), flags[0] if flags else "")
    name = call.keywords.get("dest", first.lstrip("-").replace("-", "_"))
    action = call.keywords.get("action")
    flag = _FLAGS.get(action) if isinstance(action, str) else None
    default = call.keywords.get("default", flag)
    if name and isinstance(name, str) and call.keywords.get("required") is not True:
        options.entries[name] = default
    return Unknown(interp.text(call.node))


def _set(interp: Interpreter, call: Call, options: Mapping) -> Value:
    options.entries.update(call.keywords)
    return None


def _parse(interp: Interpreter, call: Call, options: Mapping) -> Value:
    parsed = Unknown(interp.text(call.node))
    parsed.attributes[FOREIGN] = True
    for name, default in options.entries.items():
        if isinstance(name, str) and constant(default):
            _option(parsed, name, default)
    return parsed


def _option(parsed: Unknown, name: str, default: Value) -> None:
    option = parsed.attribute(name)
    if isinstance(option, Unknown):
        option.hint = _HINTS.get(type(default), "")
        option.usual = bool(default)
        option.attributes[DEFAULT] = default


def _parse_known(interp: Interpreter, call: Call, options: Mapping) -> Value:
    return Items("tuple", [_parse(interp, call, options), Unknown("the other arguments")])
