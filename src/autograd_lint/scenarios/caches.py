"""What a module keeps for a while: attributes that methods of its own set anew or cut again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.tensor import Storage, Tensor
from autograd_lint.libraries.torch.modules.modules import modules
from autograd_lint.project.code import called_name, code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.values import (
    Class,
    Definition,
    Function,
    Instance,
    Items,
    Method,
    Value,
)

_SET_TO_NONE = re.compile(r"\.(\w+)\s*=(?=(?:[^=]+=)*\s*None\s*(?:[#;].*)?$)")
_EMPTIES = re.compile(
    r"self\.(\w+)(?:\s*=\s*(?:\[\]|list\(\))|\.clear\(\))\s*(?:#.*)?$", re.MULTILINE
)
_MAKING = re.compile(r"(?:new_)?(?:empty|full|ones|rand|randn|zeros)(?:_like)?$")
# What asks an old tensor for its kind alone.
_KIND = re.compile(r"self\.\w+(?=\.(?:new_\w+|shape|size|device|dtype)\b)|_like\(self\.\w+")
_DETACHES = re.compile(r"(?:self|cls)\.\w+[^\n]*\.detach_?\(")

# What is set anew there is set so for that call itself.
NOT_CACHES = ("__init__", "training_step", "forward")
# What frameworks call around epochs, stages and runs: many steps lie between two such calls.
_OF_EPOCHS = re.compile(
    r"(?:^|_)epoch(?:_|$)|^on_(?!\w*(?:batch|step|iter))\w+_(?:start|begin|end)$"
)


def clear_caches(instance: Instance) -> None:
    """Between two steps, what a method of its own sets anew for others is None, empty, or has no
    graph."""
    for module in modules(instance):
        empty_lists(module)
        for name in _cleared(module) & module.attributes.keys():
            module.attributes[name] = None
        for name in _made_anew(module) & module.attributes.keys():
            module.attributes[name] = _without_graph(module.attributes[name])


def empty_lists(instance: Instance) -> None:
    """Between two steps, what a method that may come between them empties for others is empty."""
    for function in _functions(instance):
        if may_come_between(function):
            for name in function.query(_emptied):
                value = instance.attributes.get(name)
                if isinstance(value, Items):
                    instance.attributes[name] = Items(value.kind, [], value.rest)


def may_come_between(function: Function) -> bool:
    """Whether a method may be called between two training steps."""
    return function.name not in NOT_CACHES and _OF_EPOCHS.search(function.name) is None


def cutters(instance: Instance) -> Iterator[Method]:
    """The methods by which what a module keeps is cut off its graph.

    They take nothing, give nothing and detach: whoever trains the module calls them between steps.
    """
    for module in modules(instance):
        for function in _functions(module):
            if _cuts(function):
                yield Method(module, function)


def _functions(instance: Instance) -> Iterator[Function]:
    """The functions of an object's class and of those it inherits from."""
    classes = instance.cls.mro() if isinstance(instance.cls, Class) else ()
    for own in classes:
        yield from (value for value in own.attributes.values() if isinstance(value, Function))


def _cuts(function: Function) -> bool:
    return function.kind in ("function", "classmethod") and function.query(_only_detaches)


@query
def _only_detaches(source: Source, node: Definition) -> bool:
    text = source.segment(node)
    return len(node.args.args) == 1 and "return" not in text and _DETACHES.search(text) is not None


@query
def _emptied(source: Source, node: Definition) -> list[str]:
    """The attributes that a function sets to an empty list."""
    return _EMPTIES.findall(source.segment(node))


def _cleared(instance: Instance) -> set[str]:
    """The attributes that a method which may come between two steps sets to None."""
    return {
        name
        for function in _functions(instance)
        if may_come_between(function)
        for name in function.query(_cut)
    }


def _made_anew(instance: Instance) -> set[str]:
    """The attributes that a method which may come between two steps sets to new tensors."""
    return {
        name
        for function in _functions(instance)
        if may_come_between(function)
        for name in function.query(_new)
    }


def _without_graph(value: Value) -> Value:
    if isinstance(value, Tensor):
        return value if value.is_leaf and value.requires is not None else value.alias(Storage())
    if isinstance(value, Items):
        return Items(value.kind, [_without_graph(item) for item in value.items], value.rest)
    return value


@query
def _cut(source: Source, node: Definition) -> list[str]:
    """The attributes that a function sets to None."""
    lines = source.lines[node.lineno - 1 : node.end_lineno]
    return [name for line in lines if "None" in line for name in _SET_TO_NONE.findall(line)]


@query
def _new(source: Source, node: Definition) -> list[str]:
    """The attributes that a function sets to new tensors, and not to what was there before."""
    return [
        target.attr
        for part in walk(node)
        if isinstance(part, ast.Assign) and any(map(_makes, walk(part.value)))
        for target in _attributes(part.targets)
        if not re.search(rf"self\.{target.attr}\b", _KIND.sub("", code_of(part.value)))
    ]


def _makes(node: ast.AST) -> bool:
    """Whether a call makes a new tensor, by the name of what is called."""
    return _MAKING.match(called_name(node)) is not None


def _attributes(targets: list[ast.expr]) -> Iterator[ast.Attribute]:
    """The attributes of an object itself among the targets of an assignment."""
    for target in targets:
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for part in parts:
            owner = part.value if isinstance(part, ast.Attribute) else None
            if isinstance(part, ast.Attribute) and getattr(owner, "id", "") == "self":
                yield part
