"""Imports: names of outside packages, and modules of the project followed into their files."""

from __future__ import annotations

import ast

from autograd_lint.interpreter.control import Control
from autograd_lint.interpreter.machine import Frame, Interpreter
from autograd_lint.interpreter.scope import Scope
from autograd_lint.interpreter.values import External, Module, Unknown, Value
from autograd_lint.project.source import Source

# Names under which the same thing is also known.
ALIASES = {
    "torch.autograd.Variable": "torch.autograd.variable.Variable",
    "torch.autograd.no_grad": "torch.no_grad",
    "torch.autograd.enable_grad": "torch.enable_grad",
    "torch.autograd.set_grad_enabled": "torch.set_grad_enabled",
    "torch.autograd.inference_mode": "torch.inference_mode",
    "torch.autograd.grad_mode.no_grad": "torch.no_grad",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.parameter.Buffer": "torch.nn.Buffer",
    "torch.nn.modules.Module": "torch.nn.Module",
    "torch.nn.modules.module.Module": "torch.nn.Module",
    "torch.autograd.function.Function": "torch.autograd.Function",
}
MAX_IMPORTS = 40  # files of the project a run follows into


def external(path: str) -> Value:
    """An outside name, by the name it is best known under."""
    return External(ALIASES.get(path, path))


def run_import(interp: Interpreter, node: ast.Import) -> None:
    """`import a.b as c`."""
    for alias in node.names:
        module = _load(interp, alias.name, 0)
        if alias.asname:
            interp.frame.scope.bind(alias.asname, module or external(alias.name))
            continue
        head = alias.name.partition(".")[0]
        top = module if head == alias.name else _load(interp, head, 0)
        interp.frame.scope.bind(head, top or external(head))


def run_import_from(interp: Interpreter, node: ast.ImportFrom) -> None:
    """`from .a import b as c`."""
    name = node.module or ""
    module = _load(interp, name, node.level)
    for alias in node.names:
        if alias.name == "*":
            _import_all(interp, module)
            continue
        bound = alias.asname or alias.name
        interp.frame.scope.bind(bound, _member(interp, node, module, alias.name))


def _import_all(interp: Interpreter, module: Module | None) -> None:
    if module is not None:
        for name, value in module.scope.names.items():
            if not name.startswith("_"):
                interp.frame.scope.bind(name, value)


def _member(interp: Interpreter, node: ast.ImportFrom, module: Module | None, name: str) -> Value:
    if module is not None and name in module.scope.names:
        return module.scope.names[name]
    package = node.module or ""
    child = _load(interp, f"{package}.{name}".strip("."), node.level)
    if child is not None:
        return child
    if node.level or module is not None:
        return Unknown(name, weight=2)
    return external(f"{package}.{name}")


def _load(interp: Interpreter, name: str, level: int) -> Module | None:
    if name.partition(".")[0] == "torch" and not level:
        return None
    source = interp.world.project.resolve(name, interp.source, level)
    return None if source is None else load_module(interp, source)


def load_module(interp: Interpreter, source: Source) -> Module | None:
    """The module of a file of the project, its body run once; None past the limit."""
    found = interp.modules.get(source.filename)
    if found is not None:
        return found
    if len(interp.modules) >= MAX_IMPORTS:
        return None
    scope = Scope()
    scope.names["__name__"] = "imported"
    module = interp.modules[source.filename] = Module(source, scope)
    with interp.activation(Frame(scope, source)):
        run_module_body(interp, source.tree.body)
    return module


def run_module_body(interp: Interpreter, body: list[ast.stmt]) -> None:
    """Run the statements of a module one by one; one that leaves ends the module."""
    try:
        interp.run_block(body)
    except Control:
        return
