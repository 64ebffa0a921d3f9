"""Imports: names of outside packages, and modules of the project followed into their files.

An imported file is not run: a name of it is computed, from the statements that bind it, when the
program first asks for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import cast

from autograd_lint.project.imports import Imported, put_off
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.project.star_imports import listed
from autograd_lint.vm.control import Control, ProgramRaises, PythonRaises
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import Scope
from autograd_lint.vm.values import External, Lazy, Module, Namespace, Unknown, Value
from autograd_lint.vm.world import World

CIRCULAR = "being computed"  # what a circular import sees
BUDGET = 1_000  # steps of computing one name, not counting those of the names that it asks for

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
    "torch.nn.parallel.data_parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel": (
        "torch.nn.parallel.DistributedDataParallel"
    ),
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel": (
        "torch.distributed.fsdp.FullyShardedDataParallel"
    ),
    **{
        f"torch.nn.utils.{module}.{name}": f"torch.nn.utils.{name}"
        for module, names in {
            "weight_norm": ("weight_norm", "remove_weight_norm"),
            "spectral_norm": ("spectral_norm", "remove_spectral_norm"),
            "clip_grad": ("clip_grad_norm_", "clip_grad_norm", "clip_grad_value_"),
            "convert_parameters": ("parameters_to_vector", "vector_to_parameters"),
        }.items()
        for name in names
    },
    # Built-in functions as code for several versions of Python asks for them.
    **{f"itertools.i{name}": f"builtins.{name}" for name in ("zip", "map", "filter")},
    **{
        f"{module}.{name}": f"builtins.{name}"
        for module in ("six.moves", "future_builtins", "builtins")
        for name in ("zip", "map", "filter", "range")
    },
    "six.moves.xrange": "builtins.range",
    "past.builtins.xrange": "builtins.range",
}


@lru_cache(10_000)
def external(path: str) -> Value:
    """An outside name, by the name it is best known under."""
    return External(ALIASES.get(path, path))


def run_import(interp: Interpreter, node: ast.Import) -> None:
    """`import a.b as c`."""
    for alias in node.names:
        whole = alias.name if alias.asname else alias.name.partition(".")[0]
        bound = alias.asname or whole
        interp.frame.scope.bind(bound, _imported(interp.source, whole, alias.name))


def import_by_name(interp: Interpreter, name: str) -> Value:
    """`importlib.import_module(name)`, of a name from the top."""
    found = _imported(interp.source, name, name)
    return found.compute(interp) if isinstance(found, Lazy) else found


def _imported(importer: Source, name: str, asked: str) -> Value:
    """What `name` is bound to where `asked` is imported."""
    if name.partition(".")[0] == "torch":
        return external(name)

    def compute(interp: Interpreter) -> Value:
        found = load_module(interp, importer, name, 0)
        if found is None and interp.world.project.resolve(asked, importer) is not None:
            return Namespace(name, importer)
        return found or external(name)

    return Lazy(compute)


def run_import_from(interp: Interpreter, node: ast.ImportFrom) -> None:
    """`from .a import b as c`."""
    scope = interp.frame.scope
    for alias in node.names:
        if alias.name == "*":
            (scope.module or scope).stars.append(_star(interp.source, node))
        else:
            scope.bind(alias.asname or alias.name, _member(interp.source, node, alias.name))


def _star(importer: Source, node: ast.ImportFrom) -> Lazy:
    return Lazy(lambda interp: load_module(interp, importer, node.module or "", node.level))


def _member(importer: Source, node: ast.ImportFrom, name: str) -> Value:
    package = node.module or ""
    if not node.level and package.partition(".")[0] == "torch":
        return external(f"{package}.{name}")

    def compute(interp: Interpreter) -> Value:
        module = load_module(interp, importer, package, node.level)
        own = module is not None and name in module.scope.names
        found = settled(interp, module.scope, name) if module is not None and own else None
        if own and not _is_asking(found):
            return found
        child = load_module(interp, importer, f"{package}.{name}".strip("."), node.level)
        if child is not None:
            return child  # also where a package asks itself for one of its modules
        if own:
            return found
        starred = from_stars(interp, module.scope, name) if module is not None else None
        if starred is not None:
            return starred
        if node.level or (module is not None and not module.source.stands_for):
            return Unknown(name, weight=2)
        return external(f"{package}.{name}")

    return Lazy(compute)


def settled(interp: Interpreter, scope: Scope, name: str) -> Value:
    """The value of a name that the scope itself binds, computed if it was not yet."""
    return settled_in(interp, cast(dict[Value, Value], scope.names), name)


def bound(interp: Interpreter, scope: Scope, name: str) -> Value:
    """The value of a name that the scope or one around it binds, computed if it was not yet; None
    where none does."""
    binder = scope.binder(name)
    return settled(interp, binder, name) if binder is not None else None


def settled_in(interp: Interpreter, names: dict[Value, Value], name: Value) -> Value:
    """The same of the dictionary of a module's names."""
    value = names[name]
    if type(value) is not Lazy:
        return value
    names[name] = Unknown(str(name), weight=2, attributes={CIRCULAR: True})
    with interp.engine.mode(grad=True, inference=False), interp.aside(BUDGET):
        names[name] = value.compute(interp)
    return names[name]


def from_stars(interp: Interpreter, scope: Scope, name: str) -> Value | None:
    """The value of a name by `from module import *`; None when no such import gives it."""
    return _from_stars(interp, scope, name, set())


def _from_stars(interp: Interpreter, scope: Scope, name: str, asked: set[int]) -> Value | None:
    """The same where some modules were asked already: they may import each other."""
    asked.add(id(scope))
    for position in reversed(range(len(scope.stars))):
        module = _starred(interp, scope, position)
        if module is None or id(module.scope) in asked or not _gives(module, name):
            continue
        if name in module.scope.names:
            found = settled(interp, module.scope, name)
            # What asks for the name itself is run after those before it.
            found = None if _is_asking(found) else found
        else:
            found = _from_stars(interp, module.scope, name, asked)
        if found is not None:
            return found
    return None


def starred(interp: Interpreter, scope: Scope) -> list[Module]:
    """The modules of the project whose names a module has imported all at once."""
    found = [_starred(interp, scope, position) for position in range(len(scope.stars))]
    return [one for one in found if one is not None]


def _starred(interp: Interpreter, scope: Scope, position: int) -> Module | None:
    module = scope.stars[position]
    if isinstance(module, Lazy):
        computed = module.compute(interp)
        module = scope.stars[position] = computed if isinstance(computed, Module) else None
    return module


def _gives(module: Module, name: str) -> bool:
    """Whether a module gives a name to whoever imports all of its names."""
    return not name.startswith("_") or name in listed(module.source)


def _is_asking(value: Value) -> bool:
    """Whether a name is being computed now."""
    return isinstance(value, Unknown) and CIRCULAR in value.attributes


def load_module(interp: Interpreter, importer: Source, name: str, level: int) -> Module | None:
    """The module of a file of the project, none of its names computed yet."""
    project = interp.world.project
    source = project.resolve(name, importer, level)
    if source is None and name and not level:
        source = project.model(name)
    if source is None:
        return None
    own = interp.world.source.filename
    if source.filename == own != importer.filename:
        interp.world.imported.meddled.add(importer.filename)
    return module_of_file(interp, source)


def module_of_file(interp: Interpreter, source: Source) -> Module:
    """The module that a file is, none of its names computed yet if nothing has imported it."""
    found = interp.modules.get(source.filename)
    if found is None:
        found = interp.modules[source.filename] = Module(source, _lazy_scope(source, interp.world))
    return found


def namespace_member(interp: Interpreter, value: Namespace, name: str) -> Value:
    """The module or folder `name` inside of a folder of modules."""
    path = f"{value.path}.{name}"
    return load_module(interp, value.importer, path, 0) or Namespace(path, value.importer)


def submodule(interp: Interpreter, module: Module, name: str) -> Module | None:
    """The module `name` inside of a package of the project, or of a library that has a model."""
    if module.source.stands_for:
        return load_module(interp, module.source, f"{module.source.stands_for}.{name}", 0)
    if not module.source.filename.endswith("__init__.py"):
        return None
    return load_module(interp, module.source, name, 1)


def _lazy_scope(source: Source, world: World) -> Scope:
    """The names that the statements of a file bind, each to be computed by those statements."""
    scope = Scope(names=world.names())
    scope.names.update(lazy_names(source, scope, _bindings(source)))
    scope.names.update(_put_off(source, scope))
    scope.stars.extend(_star(source, statement) for statement in _star_imports(source))
    scope.names["__name__"] = "imported"
    return scope


def _put_off(source: Source, scope: Scope) -> Iterator[tuple[str, Value]]:
    """The names that a package which imports lazily takes of its modules, where no statement of its
    own binds them."""
    for listed_there in _tables(source):
        asked = ast.ImportFrom(listed_there.module, [], listed_there.level)
        for name in listed_there.names:
            if name not in scope.names:
                yield name, _member(source, asked, name)


@query
def _tables(source: Source) -> tuple[Imported, ...]:
    return tuple(put_off(source.text.encode()))


def lazy_names(source: Source, scope: Scope, names: Iterable[str]) -> Iterator[tuple[str, Lazy]]:
    """Those of some names that the statements of a file bind in its scope, not computed yet."""
    binding = _bindings(source)
    for name in names:
        if name in binding:
            yield name, Lazy(partial(_by_running, scope, source, name, binding[name]))


@query
def _bindings(source: Source) -> dict[str, list[ast.stmt]]:
    binding: dict[str, list[ast.stmt]] = {}
    for statement in source.tree.body:
        for name in bound_names(statement):
            binding.setdefault(name, []).append(statement)
    return binding


@query
def _star_imports(source: Source) -> list[ast.ImportFrom]:
    imports = (node for node in source.tree.body if isinstance(node, ast.ImportFrom))
    return [node for node in imports if node.names[0].name == "*"]


def _by_running(
    scope: Scope, source: Source, name: str, statements: list[ast.stmt], interp: Interpreter
) -> Value:
    with interp.activation(Frame(scope, source)):
        run_module_body(interp, statements)
    value = scope.names.get(name)
    return value.compute(interp) if type(value) is Lazy else value


def bound_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module may bind."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.ExceptHandler)):
                yield from bound_names(child)  # type: ignore[arg-type]


def run_module_body(interp: Interpreter, body: list[ast.stmt]) -> None:
    """Run the statements of a module one by one; one that leaves ends the module, an error of
    Python the whole program. An exception that ends the program itself is noted."""
    try:
        interp.run_block(body)
    except PythonRaises:
        raise
    except ProgramRaises as raised:
        own = interp.source is interp.world.source
        interp.record.raised = interp.record.raised or (own and raised.name != "SystemExit")
    except Control:
        return
