"""Whether all that is done with a part of a module is to compute with it, as the text tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.facts.body import path_of
from autograd_lint.project.code import given_to
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# What weights are set, frozen or followed by, or trained by.
_TOUCHING = frozenset(
    (
        *("data", "parameters", "named_parameters", "state_dict", "load_state_dict"),
        *("requires_grad", "requires_grad_", "copy_", "grad", "eval", "train", "detach_", "fill_"),
    )
)
_COMPUTING = re.compile(r"^(?:(?:torch\.)?(?:nn\.init|nn\.functional|utils\.checkpoint)|F|torch)\.")
# Whose weights are as they are on purpose.
_STAYING = re.compile(
    r"target|teacher|ema|momentum|fr[eo]ze|fixed|random|prior|pretrained|backbone"
)


def is_only_computed_with(source: Source, name: str) -> bool:
    """Whether a file does nothing with an attribute of its objects, once it is made, but compute
    with it, and does not call it by what stays as it is."""
    return not _STAYING.search(name.lower()) and name not in _touched(source)


@query
def _touched(source: Source) -> frozenset[str]:
    """The attributes whose weights the code of a file asks for, or that it hands on."""
    return frozenset(name for node in walk(source.tree) for name in _touched_by(node))


def _touched_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        path = path_of(node).split(".")
        yield from path[:-1] if path[-1] in _TOUCHING else ()
    elif isinstance(node, ast.Call) and not _COMPUTING.match(path_of(node.func)):
        yield from (one.attr for one in given_to(node) if isinstance(one, ast.Attribute))
