"""Patterns of `match`: whether a value fits one on this path, and what that binds."""

from __future__ import annotations

import ast

from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.attributes import get_attribute
from autograd_lint.vm.class_functions import is_a
from autograd_lint.vm.comparing import compare
from autograd_lint.vm.dictionaries import content
from autograd_lint.vm.fields import annotated_fields
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.subscripts import get_item
from autograd_lint.vm.truth import is_true
from autograd_lint.vm.values import Class, Items, Mapping, Unknown, Value, constant


def matches(interp: Interpreter, pattern: ast.pattern, subject: Value) -> bool:
    """Whether a `case` pattern matches on this path."""
    if isinstance(pattern, ast.MatchAs):
        fits = pattern.pattern is None or matches(interp, pattern.pattern, subject)
        if fits and pattern.name:
            interp.frame.scope.bind(pattern.name, subject)
        return fits
    if isinstance(pattern, ast.MatchOr):
        return any(matches(interp, part, subject) for part in pattern.patterns)
    if isinstance(pattern, (ast.MatchValue, ast.MatchSingleton)):
        return _equals(interp, pattern, subject)
    subject = content(materialized(subject))
    if isinstance(pattern, ast.MatchSequence) and isinstance(subject, Items):
        return _sequence(interp, pattern, subject)
    if isinstance(pattern, ast.MatchMapping) and isinstance(subject, Mapping):
        return _mapping(interp, pattern, subject)
    if isinstance(pattern, ast.MatchClass):
        return _object(interp, pattern, subject)
    if constant(subject) or isinstance(subject, (Items, Mapping)):
        return False
    return _decided(interp, pattern)


def _decided(interp: Interpreter, pattern: ast.pattern) -> bool:
    """What a value that is not known does on this path; its parts are not known either."""
    fits = is_true(interp, Unknown("a pattern"), pattern)
    if fits:
        for part in ast.walk(pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                interp.frame.scope.bind(name, Unknown(name))
    return fits


def _equals(
    interp: Interpreter, pattern: ast.MatchValue | ast.MatchSingleton, subject: Value
) -> bool:
    if isinstance(pattern, ast.MatchSingleton):
        outcome = compare(interp, ast.Is(), subject, pattern.value, pattern)
        return is_true(interp, outcome, pattern)
    value = interp.evaluate(pattern.value)
    return is_true(interp, compare(interp, ast.Eq(), subject, value, pattern.value), pattern.value)


def _sequence(interp: Interpreter, pattern: ast.MatchSequence, subject: Items) -> bool:
    """`[first, *others]` of a list or tuple whose elements are known."""
    parts, items = pattern.patterns, subject.items
    if not subject.closed or subject.partial:
        return _decided(interp, pattern)
    stars = [at for at, part in enumerate(parts) if isinstance(part, ast.MatchStar)]
    if not stars:
        return len(parts) == len(items) and _all(interp, parts, items)
    at, after = stars[0], len(parts) - stars[0] - 1
    if len(items) < len(parts) - 1:
        return False
    end, star = len(items) - after, parts[at]
    fits = _all(interp, parts[:at], items[:at]) and _all(interp, parts[at + 1 :], items[end:])
    if fits and isinstance(star, ast.MatchStar) and star.name:
        interp.frame.scope.bind(star.name, Items("list", items[at:end]))
    return fits


def _all(interp: Interpreter, patterns: list[ast.pattern], values: list[Value]) -> bool:
    pairs = zip(patterns, values, strict=True)
    return all(matches(interp, pattern, value) for pattern, value in pairs)


def _mapping(interp: Interpreter, pattern: ast.MatchMapping, subject: Mapping) -> bool:
    """`{"key": pattern, **others}`."""
    keys = [interp.evaluate(key) for key in pattern.keys]
    for node, key, part in zip(pattern.keys, keys, pattern.patterns, strict=True):
        inside = is_true(interp, compare(interp, ast.In(), key, subject, node), node)
        if not inside or not matches(interp, part, get_item(interp, subject, key, node)):
            return False
    if pattern.rest:
        others = {key: value for key, value in subject.entries.items() if key not in keys}
        interp.frame.scope.bind(pattern.rest, Mapping(others, subject.rest))
    return True


def _object(interp: Interpreter, pattern: ast.MatchClass, subject: Value) -> bool:
    """`Class(pattern, name=pattern)`: patterns by position are for the fields of the class, or of a
    type of Python (`str(name)`) for the value itself."""
    cls = interp.evaluate(pattern.cls)
    known = is_a(subject, cls)
    if known is None:
        return _decided(interp, pattern)
    if not known:
        return False
    parts = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
    if isinstance(cls, Class):
        parts += zip(annotated_fields(cls), pattern.patterns, strict=False)
    elif not all(matches(interp, part, subject) for part in pattern.patterns):
        return False
    return all(
        matches(interp, part, get_attribute(interp, subject, name, pattern)) for name, part in parts
    )
