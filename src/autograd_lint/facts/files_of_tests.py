"""Files of tests, and the tests in them, by the rules that pytest and unittest find them by.

Programs that evaluate a model are often called `test_net.py` as well: a file is one of tests only
if it has something that a runner can call. Source:
https://docs.pytest.org/en/stable/explanation/goodpractices.html#test-discovery
"""

from __future__ import annotations

import ast
import fnmatch
import os
import re
from typing import TypeGuard

from autograd_lint.facts.class_kinds import Definition, last_names
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_TESTING = re.compile(r"^\s*(?:import|from)\s+(?:unittest|pytest|nose)\b", re.MULTILINE)
_MAIN = re.compile(r"^if\s+__name__\s*==", re.MULTILINE)
_NAMES = ("test_*.py", "*_test.py")
_FOLDERS = ("test", "tests")
_CASES = re.compile(r"Tests?(?:Case)?$")
_NOT_RUN = re.compile(r"\b(?:xfail|expectedFailure|skip)\b")


@query
def is_test(source: Source) -> bool:
    """Whether a file tests others: it tells nothing of what they are for."""
    if _is_in_folder_of_tests(source.filename):
        return True
    name = os.path.basename(source.filename)
    if name.startswith("test") and _TESTING.search(source.text) is not None:
        return True
    return name.startswith("test_") and _has_tests(source)


def is_test_path(filename: str) -> bool:
    """Whether a file is called like one of tests, or its folder is."""
    return os.path.basename(filename).startswith("test_") or _is_in_folder_of_tests(filename)


def _is_in_folder_of_tests(filename: str) -> bool:
    return os.path.basename(os.path.dirname(filename)) in _FOLDERS


@query
def holds_tests(source: Source) -> bool:
    """Whether a file holds tests, as pytest and unittest find them: each of them runs once."""
    if any(isinstance(part, ast.ClassDef) and is_test_case(part) for part in source.tree.body):
        return True
    name = os.path.basename(source.filename)
    return any(fnmatch.fnmatch(name, pattern) for pattern in _NAMES) and _has_tests(source)


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


def _is_named_test(node: ast.AST) -> TypeGuard[Definition]:
    return isinstance(node, Definition) and node.name.startswith("test")


def _has_tests(source: Source) -> bool:
    """Whether a runner finds something in a file that it can call."""
    return any(_is_run(node, source) for node in source.tree.body)


def _is_run(node: ast.stmt, source: Source) -> bool:
    if isinstance(node, ast.ClassDef):
        return node.name.startswith("Test")
    if not _is_named_test(node):
        return False
    if _TESTING.search(source.text) is not None or _is_in_folder_of_tests(source.filename):
        return True
    # What asserts nothing may be called by the program around it instead.
    program = _MAIN.search(source.text) is not None
    return _can_be_called(node) and (not program or any(map(_asserts, ast.walk(node))))


def _can_be_called(function: Definition) -> bool:
    """Whether a runner knows what to give a function: nothing, or what its marks say."""
    arguments = function.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return needed == 0 or bool(function.decorator_list)


def _asserts(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and "assert" in code_of(node.func).rpartition(".")[2]
    )
