"""What a runner calls in a file of tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.files_of_tests import is_test, is_test_class, is_test_method
from autograd_lint.facts.imported_names import imported_names
from autograd_lint.facts.relevance import definitions, leads_to_suspect, suspects, words_in
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


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
