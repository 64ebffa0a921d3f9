"""Tests, by the names that pytest and unittest go by: what a runner calls, and how."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.facts.callers import is_test
from autograd_lint.facts.class_kinds import Definition, last_names
from autograd_lint.facts.imported_names import imported_names
from autograd_lint.facts.relevance import definitions, leads_to_suspect, suspects, words_in
from autograd_lint.project.code import code_of
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

_CASES = re.compile(r"Tests?(?:Case)?$")
_NOT_RUN = re.compile(r"\b(?:xfail|expectedFailure|skip)\b")


def is_test_class(cls: ast.ClassDef) -> bool:
    """Whether a runner makes an object of a class for each of its tests."""
    named = cls.name.startswith("Test") or any(map(_CASES.search, last_names(cls)))
    return named and any(is_test_method(node) for node in cls.body)


def is_test_case(cls: ast.ClassDef) -> bool:
    """Whether a class of tests derives from one that unittest runs, whatever its name is."""
    return any(map(_CASES.search, last_names(cls))) and is_test_class(cls)


def is_test_method(node: ast.AST) -> bool:
    """Whether a function is a test that is expected to pass."""
    return _is_named_test(node) and not is_left_out(node)


def is_left_out(node: ast.AST) -> bool:
    """Whether a function is a test that is expected to fail, or is not run at all."""
    marks: list[ast.expr] = getattr(node, "decorator_list", [])
    return _is_named_test(node) and any(_NOT_RUN.search(code_of(mark)) for mark in marks)


def _is_named_test(node: ast.AST) -> bool:
    return isinstance(node, Definition) and node.name.startswith("test")


def runner_entries(source: Source, project: Project) -> list[str]:
    """The tests of a file in which nothing can go wrong but in what they import of the project."""
    if not is_test(source) or not leads_to_suspect(source, project):
        return []
    imported = imported_names(source, project)
    own = set(suspects(source))
    return [
        node.name
        for node in _tests(source)
        if node.name not in own and words_in(source, node) & imported
    ]


def _tests(source: Source) -> Iterator[ast.ClassDef | Definition]:
    for node in definitions(source.tree.body):
        if is_test_class(node) if isinstance(node, ast.ClassDef) else is_test_method(node):
            yield node
