"""The calls of functions of a file that were seen while the project ran."""

from __future__ import annotations

from autograd_lint.observed.calls import Call
from autograd_lint.observed.texts import digest, functions_in
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source


def recorded_calls(source: Source, project: Project) -> dict[str, tuple[Call, ...]]:
    """The calls by the name of the function in its file (`Net.forward`): those of functions whose
    text has not changed since."""
    kept = project.recorded(source.filename)
    if not kept:
        return {}
    texts = {name: digest(source.lines, node) for name, node in functions_in(source.tree)}
    found: dict[str, tuple[Call, ...]] = {}
    for key, calls in kept:
        if texts.get(key.name) == key.text:
            found[key.name] = (*found.get(key.name, ()), *calls)
    return found
