"""Texts that are not known as a whole: letters taken out of them, parts of them that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from autograd_lint.vm.calls import Call
from autograd_lint.vm.values import DEFAULT, Items, Unknown, Value, by_default

_LACKING = "lacking"  # the key under which an unknown text keeps what is not in it
_OUTLINE = "outline"  # and that for its outline
_ANY = "*"  # and in the key of what was put under it
HOLE = "\0"  # what stands in an outline for a part that is not known
LONGEST_OUTLINE = 1_000  # characters; no name is longer


def without(text: Unknown, call: Call, origin: str) -> Unknown:
    """What `text.replace(old, new)` gives: a text without the letter `old`."""
    old, new = call.get(0, "old"), call.get(1, "new")
    result = Unknown(origin, "string")
    if isinstance(old, str) and isinstance(new, str):
        gone = {*lacking(text), *(old if len(old) == 1 else "")}
        keep(result, gone.difference(new))
    return result


def lacking(text: Value) -> frozenset[str]:
    """The letters that do not stand in a text."""
    found = text.attributes.get(_LACKING) if isinstance(text, Unknown) else None
    return frozenset(map(str, found.items)) if isinstance(found, Items) else frozenset()


def like(part: Unknown, text: Value) -> Unknown:
    """A part of a text, which lacks what the whole one does."""
    if missing := lacking(text):
        keep(part, missing)
    return part


def keep(text: Unknown, letters: Set[str]) -> None:
    text.attributes[_LACKING] = Items("set", list(letters))


def outlined(outline: str, origin: str) -> Unknown:
    """An unknown text of which the outline is known: the parts that are, with holes between."""
    text = Unknown(origin, "string")
    if len(outline) <= LONGEST_OUTLINE and outline.strip(HOLE):
        text.attributes[_OUTLINE] = outline
    return text


def usually(text: Value, parts: Iterable[Value], make: Callable[..., str]) -> Value:
    """A text that is made of parts, which is by default what `make` makes of theirs."""
    usual = [by_default(part) for part in parts]
    if isinstance(text, Unknown) and all(type(part) in (str, int) for part in usual):
        made = make(*usual)
        if len(made) <= LONGEST_OUTLINE:
            text.attributes[DEFAULT] = made
    return text


def put_together(parts: str, origin: str) -> Value:
    """A text of which all parts are known, or the outline of one with holes."""
    return outlined(parts, origin) if HOLE in parts else parts


def outline(value: Value) -> str:
    """The outline of what is put into a text, all of it a hole where nothing is known."""
    if isinstance(value, Unknown):
        found = value.attributes.get(_OUTLINE)
        return found if isinstance(found, str) else HOLE
    return str(value) if type(value) in (str, int) else HOLE


def piece(value: Value) -> str:
    """The outline of a part of what is put together, a hole where it is long."""
    found = outline(value)
    return found if len(found) <= LONGEST_OUTLINE else HOLE


def key_under(name: Value, taken: int) -> str:
    """The key of what an object gets under a name that is not known, besides so many others."""
    shape = outline(name).replace(HOLE, _ANY)
    return f"{shape}{_ANY}{taken}" if shape.strip(_ANY) else f"attribute {taken}"


def keys_of(name: Value, keys: Iterable[str]) -> Iterator[str]:
    """The keys that may be meant by a name of which only an outline is known."""
    parts = outline(name).split(HOLE)
    for key in keys if any(parts) else ():
        ends = (len(key), *(at for at, letter in enumerate(key) if letter == _ANY))
        if any(_fits(parts, key[:end]) for end in ends):
            yield key


def key_fitting(name: str, keys: Iterable[str]) -> str | None:
    """The first key of something that was put under a name that may have been this one."""
    computed = (key for key in keys if _ANY in key)
    return next((key for key in computed if _fits(key.split(_ANY)[:-1], name)), None)


def _fits(parts: Sequence[str], name: str) -> bool:
    """Whether a name has these parts, in their order, from its beginning to its end."""
    first, last = parts[0], parts[-1]
    if len(parts) == 1:
        return name == first
    at, end = len(first), len(name) - len(last)
    if at > end or not name.startswith(first) or not name.endswith(last):
        return False
    for part in parts[1:-1]:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
