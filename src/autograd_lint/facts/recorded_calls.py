"""The calls of functions of a file that were seen while the project ran."""

from __future__ import annotations

from autograd_lint.observed.calls import Call
from autograd_lint.observed.texts import digest, functions_in
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source


def recorded_calls(source: Source, project: Project) -> dict[str, tuple[Call, ...]]:
    """The calls by the name of the function in its file (`Net.forward`): those of functions whose
    text has not changed since."""
    kept = project.recorded(source.filename)
    if not kept:
        return {}
    texts = _texts(source)
    found: dict[str, tuple[Call, ...]] = {}
    for key, calls in kept:
        if texts.get(key.name) == key.text:
            found[key.name] = (*found.get(key.name, ()), *calls)
    return found


@query
def _texts(source: Source) -> dict[str, str]:
    """The digests of the functions of a file, by name."""
    return {name: digest(source.lines, node) for name, node in functions_in(source.tree)}
