"""Whether a module may compute something else in evaluation mode, by the words of its class.

self.model = Net(args).to(device)       # is there dropout in `Net`, or in a class that it makes?
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.facts.imported_names import imported_names, names_of_imports
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.code import last_name, spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import calls_in
from autograd_lint.project.source import Source

_WORDS = (
    r"ropout|BatchNorm|batch_norm|DropPath|\.training\b|torchvision|timm|pretrained|torch\.load"
)
_DEPENDS = re.compile(_WORDS)
_IN_BYTES = re.compile(_WORDS.encode())
# Classes of packages that are rather whole models than layers.
_WHOLE = re.compile(r"Model|Encoder|Decoder|Transformer|ResNet|Bert|Net$")
_OF_TORCH = re.compile(r"^(torch\.)?nn\.")
_DEPTH = 4  # of classes that make each other


def may_depend_on_mode(module: str, source: Source, project: Project) -> bool:
    """Whether a module, as a file spells it, may have dropout or batch normalization: a class that
    it is made of speaks of such, it comes from elsewhere and anything that the file reaches
    does, or what makes it is not in the project at all."""
    classes = set(_made_of(module, source))
    if classes & {one.name for one in _defined(classes, project)}:
        return _speaks_of_mode(classes, project)
    files = (source.filename, *project.reached(source.filename))
    speaks = any(project.look(one, _in_bytes) for one in files)
    return speaks or _is_made_elsewhere(module, source, project)


def _is_made_elsewhere(module: str, source: Source, project: Project) -> bool:
    """Whether a package that is not in the project makes a module, by a call of what a file imports
    from there."""
    outside = names_of_imports(source) - imported_names(source, project)
    calls = (call.func for value in _bound_to(module, source) for call in calls_in(value))
    foreign = (one for one in calls if spelt(one).partition(".")[0] in outside)
    return any(not path_in(source, one).startswith("torch.") for one in foreign)


def _in_bytes(data: bytes) -> bool:
    return _IN_BYTES.search(data) is not None


def _made_of(module: str, source: Source) -> Iterator[str]:
    """The classes that a file calls where it binds a module."""
    return (name for value in _bound_to(module, source) for name in _made_in(value))


def _bound_to(module: str, source: Source) -> Iterator[ast.expr]:
    """What a file assigns to a module."""
    return (one.value for one in source.each(ast.Assign) if module in map(spelt, one.targets))


def _made_in(node: ast.AST) -> Iterator[str]:
    """The classes, by their capital letter, of which a piece of code makes objects."""
    names = ((last_name(one.func), spelt(one.func)) for one in calls_in(node))
    yield from (name for name, told in names if name[:1].isupper() and not _OF_TORCH.match(told))


def _defined(names: set[str], project: Project) -> list[ast.ClassDef]:
    sources = {id(one): one for name in names for one in project.speaking(name)}
    classes = (node for one in sources.values() for node in one.each(ast.ClassDef))
    return [node for node in classes if node.name in names]


def _speaks_of_mode(names: set[str], project: Project) -> bool:
    """Whether classes, their bases and those that they make speak of what goes by the mode; those
    that the project does not define count where they are rather whole models."""
    known: set[str] = set()
    for _ in range(_DEPTH):
        classes = _defined(names, project)
        if any(_DEPENDS.search(ast.unparse(one)) for one in classes):
            return True
        foreign = names - {one.name for one in classes}
        if any(map(_WHOLE.search, foreign)):
            return True
        known |= names
        made = {name for one in classes for name in _made_in(one)}
        bases = {last_name(base) for one in classes for base in one.bases}
        names = (made | bases) - known - {"Module", ""}
    return False
