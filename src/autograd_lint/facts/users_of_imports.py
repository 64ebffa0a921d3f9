"""Modules in which nothing can go wrong but in the layers that they import.

Only such a module tells what a layer of another file is given: what was computed with parameters,
the results of other layers.
"""

from __future__ import annotations

import ast

from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.imported_names import imported_names
from autograd_lint.facts.relevance import definitions, leads_to_suspect, suspects, words_in
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source


def users_of_imports(source: Source, project: Project) -> dict[str, frozenset[str]]:
    """The classes with a `forward` that nothing in their file makes worth running, each with the
    names that it uses of other files of the project."""
    if not ("def forward(" in source.text and leads_to_suspect(source, project)):
        return {}
    imported, own = imported_names(source, project), set(suspects(source))
    forwarding = [] if is_test(source) else _forwarding(source)
    used = {node.name: words_in(source, node) & imported for node in forwarding}
    return {name: names for name, names in used.items() if names and name not in own}


@query
def _forwarding(source: Source) -> list[ast.ClassDef]:
    """The classes of a file with a `forward`."""
    classes = (one for one in definitions(source.tree.body) if isinstance(one, ast.ClassDef))
    return [one for one in classes if any(map(_is_forward, one.body))]


def _is_forward(node: ast.stmt) -> bool:
    return isinstance(node, Definition) and node.name == "forward"
