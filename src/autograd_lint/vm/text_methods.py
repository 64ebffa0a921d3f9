"""Methods of texts that are known, carried out as Python does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import all_of
from autograd_lint.vm.integers import Counter
from autograd_lint.vm.iteration import iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.plain import plain
from autograd_lint.vm.string_facts import LONGEST_OUTLINE, outlined, piece, usually
from autograd_lint.vm.texts import LONGEST_TEXT, asks_for_width, grows
from autograd_lint.vm.values import DEFAULT, Items, Unknown, Value, by_default, constant

_ASKING = {
    *("startswith", "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit"),
    *("isidentifier", "islower", "isnumeric", "isspace", "istitle", "isupper"),
}
_COUNTING = {"count", "find", "index", "rfind", "rindex"}
_CHANGING = {
    *("capitalize", "casefold", "lower", "lstrip", "removeprefix", "removesuffix", "replace"),
    *("rstrip", "strip", "swapcase", "title", "upper"),
}
_FILLING = {"center", "expandtabs", "ljust", "rjust", "zfill"}
_ENDS = {"startswith", "endswith"}  # which take one text, or a tuple of them
_DIVIDING = {"split", "rsplit", "splitlines"}
_PARTING = {"partition", "rpartition"}
_KNOWN = _ASKING | _COUNTING | _CHANGING | _FILLING | _DIVIDING | _PARTING | {"format"}


def text_method(interp: Interpreter, text: str, name: str, call: Call) -> Value:
    """`text.name(...)`, carried out where every argument is known."""
    if name == "join":
        return _joined(interp, text, call)
    found = _carried_out(text, name, call) if _is_plain(text, name, call) else None
    if found is not None:
        return found
    if name == "format" and not (call.keywords or call.open):
        return _formatted(text, call.args, interp.text(call.node))
    hint = "bool" if name in _ASKING else "int" if name in _COUNTING else "string"
    return Unknown(interp.text(call.node), hint=hint)


def usual_text_method(interp: Interpreter, text: Unknown, name: str, call: Call) -> Value:
    """`text.name(...)` of a text that is known by default: what that gives, by default as well;
    None where that is neither a text nor an answer."""
    usual = by_default(text)
    given = [by_default(one) for one in call.args]
    found = None
    if isinstance(usual, str) and _is_plain(usual, name, replace(call, args=given)):
        found = _carried_out(usual, name, replace(call, args=given))
    if isinstance(found, bool):
        return Unknown(interp.text(call.node), hint="bool", usual=found)
    if not isinstance(found, str):
        return None
    return Unknown(interp.text(call.node), hint="string", attributes={DEFAULT: found})


def _is_plain(text: str, name: str, call: Call) -> bool:
    """Whether all that a call is given is known, and its result is no longer than texts may be."""
    known = all(map(constant, call.args)) and not (call.keywords or call.open)
    if name in _ENDS:
        return known or (len(call.args) == 1 and isinstance(plain(call.args[0]), tuple))
    if name in _FILLING:
        return known and all(_is_narrow(one) for one in call.args)
    if name == "format":
        counted = any(isinstance(one, Counter) for one in call.args)
        return known and not counted and not asks_for_width(text)
    return known and not (name == "replace" and grows(text, call.args))


def _is_narrow(value: Value) -> bool:
    """Whether a text that is filled up to such a width may be known."""
    counted = isinstance(value, Counter)
    return isinstance(value, str) or (isinstance(value, int) and not counted and value < 1_000)


def _carried_out(text: str, name: str, call: Call) -> Value:
    """What the method gives; None where it has a result of another kind, or raises."""
    if name not in _KNOWN:
        return None
    try:
        result = getattr(text, name)(*map(plain, call.args))
    except (TypeError, ValueError, LookupError, AttributeError):
        return None
    if isinstance(result, str) and len(result) > LONGEST_TEXT:
        return None
    if isinstance(result, (list, tuple)):
        return Items("tuple" if name in _PARTING else "list", list(result))
    return result if isinstance(result, (str, int)) else None


def _formatted(text: str, given: Sequence[Value], origin: str) -> Value:
    """The outline of what `text.format(...)` gives, where not all that it is given is known."""
    if asks_for_width(text) or len(text) > LONGEST_OUTLINE:
        return Unknown(origin, hint="string")
    try:
        return usually(outlined(text.format(*map(piece, given)), origin), given, text.format)
    except (TypeError, ValueError, LookupError, AttributeError):
        return Unknown(origin, hint="string")


def _joined(interp: Interpreter, text: str, call: Call) -> Value:
    """`text.join(parts)`, where all parts are known."""
    unknown = Unknown(interp.text(call.node), hint="string")
    if not call.args:
        return unknown
    parts = iterate(interp, call.args[0], call.node)
    texts = parts.gathered() if parts.complete else [None]
    return _within(text, texts) if all_of(texts, str) else unknown


def _within(text: str, parts: Sequence[str]) -> Value:
    joined = text.join(parts)
    return joined if len(joined) <= LONGEST_TEXT else Unknown("a string", hint="string")
