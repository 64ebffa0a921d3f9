"""Spreads a program over a package, as projects are written, with a script that runs it.

Functions and classes move into the modules of a package, and everything else into the script, or
into a `main()` of the package that the script calls. Modules and script import what they use in
one of several forms: relative and absolute imports, star imports, imports of modules, names that
the package re-exports, a registry.
"""

import ast
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Definition = ast.FunctionDef | ast.ClassDef

SCRIPT = "program.py"
PACKAGES = ("project", "research", "lab")
MODULES = ("layers", "ops", "blocks", "models", "losses", "tools", "engine")
FORMS = ("absolute", "relative", "star", "module", "reexport", "registry")

REGISTRY = """MADE = {}
def register(thing):
    MADE[thing.__name__] = thing
    return thing
def find(name):
    return MADE[name]
"""


@dataclass
class Module:
    """A module that is being written: its lines, and in which form others import its names."""

    name: str
    form: str
    definitions: list[Definition] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """What the module defines."""
        return [node.name for node in self.definitions]


def spread(text: str, dice: random.Random) -> dict[str, str]:
    """The files of a package and the script that runs it, by path; empty where nothing can move."""
    tree = ast.parse(text)
    moving = _movable(tree)
    if not moving:
        return {}
    package = dice.choice(PACKAGES)
    modules = _distributed(moving, dice)
    writer = _Writer(text, tree, package, modules)
    files = {f"{package}/{module.name}.py": writer.module(module) for module in modules}
    files[f"{package}/__init__.py"] = writer.init()
    if any(module.form == "registry" for module in modules):
        files[f"{package}/registry.py"] = REGISTRY
    return files | writer.program(dice.choice(("plain", "main", "imported")))


def _movable(tree: ast.Module) -> list[Definition]:
    """The functions and classes that read no name which the rest of the program binds."""
    definitions = [node for node in tree.body if isinstance(node, Definition)]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    rest = [node for node in tree.body if node not in definitions and node not in imports]
    bound = {name for node in rest for name in _stored(node)}
    moving = [node for node in definitions if not bound & set(_loaded(node))]
    while True:
        staying = {node.name for node in definitions if node not in moving}
        left = [node for node in moving if not staying & set(_loaded(node))]
        if len(left) == len(moving):
            return [node for node in moving if not any(map(_is_global, ast.walk(node)))]
        moving = left


def _is_global(node: ast.AST) -> bool:
    return isinstance(node, ast.Global)


def _distributed(moving: Sequence[Definition], dice: random.Random) -> list[Module]:
    """Modules that hold the definitions; each uses only its own and those of earlier modules."""
    names = [node.name for node in moving]
    uses = {node.name: set(_loaded(node)) & set(names) for node in moving}
    titles = list(MODULES)
    dice.shuffle(titles)
    modules: list[Module] = []
    at: dict[str, int] = {}
    for node in moving:
        later = {name for name in uses[node.name] if name not in at and name != node.name}
        lowest = max((at[name] for name in uses[node.name] if name in at), default=0)
        fits = lowest < len(modules) and dice.random() < 0.4 and not later
        if not fits and len(modules) < len(titles):
            modules.append(Module(titles[len(modules)], dice.choice(FORMS)))
        place = dice.randrange(lowest, len(modules)) if fits else len(modules) - 1
        at[node.name] = place
        modules[place].definitions.append(node)
    return _merged(modules, uses, at)


def _merged(
    modules: list[Module], uses: Mapping[str, set[str]], at: Mapping[str, int]
) -> list[Module]:
    """The modules, as one where a definition uses one of a later module: imports form no circle."""
    ahead = any(at[other] > at[name] for name, others in uses.items() for other in others)
    if not ahead:
        return modules
    whole = Module(modules[0].name, modules[0].form)
    whole.definitions = [node for module in modules for node in module.definitions]
    return [whole]


@dataclass
class _Writer:
    text: str
    tree: ast.Module
    package: str
    modules: list[Module]

    @property
    def _lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def _head(self) -> list[str]:
        """The imports of the program."""
        return [ast.unparse(node) for node in self.tree.body if _is_import(node)]

    def module(self, module: Module) -> str:
        """The text of a module: the imports of the program, what it uses, its definitions."""
        used = [name for node in module.definitions for name in _loaded(node)]
        others = [one for one in self.modules if one is not module]
        lines = [*self._head, *self._imports(others, used, inside=True)]
        if module.form == "registry":
            lines.append("from .registry import register")
        if module.form == "star":
            lines.append(f"__all__ = {module.names!r}")
        for node in module.definitions:
            lines += ["@register"] * (module.form == "registry")
            lines += self._renamed(node, others)
        return "\n".join(lines) + "\n"

    def init(self) -> str:
        """The text of the package's `__init__`: what is re-exported, and what must be imported."""
        lines = []
        for module in self.modules:
            if module.form == "reexport":
                lines.append(f"from .{module.name} import {', '.join(module.names)}")
            if module.form == "registry":
                lines.append(f"from . import {module.name}")
        return "\n".join(lines) + "\n" if lines else ""

    def program(self, shape: str) -> dict[str, str]:
        """The script, and where the shape is `imported` the module of the package with `main`."""
        moved = {id(node) for module in self.modules for node in module.definitions}
        rest = [n for n in self.tree.body if id(n) not in moved and not _is_import(n)]
        used = [name for node in rest for name in _loaded(node)]
        inside = shape == "imported"
        head = [*self._head, *self._imports(self.modules, used, inside=inside)]
        body = [line for node in rest for line in self._renamed(node, self.modules)]
        if shape == "plain":
            return {SCRIPT: "\n".join([*head, *body]) + "\n"}
        main = ["def main():", *(f"    {line}" if line else line for line in body)]
        guard = ["if __name__ == '__main__':", "    main()"]
        if shape == "main":
            return {SCRIPT: "\n".join([*head, *main, *guard]) + "\n"}
        script = [f"from {self.package}.train import main", *guard]
        return {
            f"{self.package}/train.py": "\n".join([*head, *main]) + "\n",
            SCRIPT: "\n".join(script) + "\n",
        }

    def _imports(
        self, modules: Iterable[Module], used: Iterable[str], *, inside: bool
    ) -> Iterator[str]:
        """The imports of those names of some modules that are used; `inside` of the package."""
        wanted = set(used)
        for module in modules:
            names = [name for name in module.names if name in wanted]
            if names:
                yield self._import(module, names, inside)

    def _import(self, module: Module, names: list[str], inside: bool) -> str:
        path = f"{self.package}.{module.name}"
        near = f".{module.name}" if inside else path
        if module.form == "registry":
            return f"from {self.package if not inside else ''}.registry import find"
        if module.form == "star":
            return f"from {near} import *"
        if module.form == "module":
            return f"from {'.' if inside else self.package} import {module.name}"
        if module.form == "reexport" and not inside:
            return f"from {self.package} import {', '.join(names)}"
        return f"from {near if module.form == 'relative' else path} import {', '.join(names)}"

    def _renamed(self, node: ast.stmt, modules: Iterable[Module]) -> list[str]:
        """The lines of a statement, with names as the forms of the modules they are in ask for."""
        found = {name: module for module in modules for name in module.names}
        lines = self._lines
        loads = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in found]
        for one in sorted(loads, key=lambda n: (n.lineno, n.col_offset), reverse=True):
            line = lines[one.lineno - 1]
            spelt = _spelt(one.id, found[one.id])
            lines[one.lineno - 1] = line[: one.col_offset] + spelt + line[one.end_col_offset :]
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        return lines[first - 1 : node.end_lineno]


def _spelt(name: str, module: Module) -> str:
    """How a name of a module is written where it is used."""
    if module.form == "registry":
        return f"find('{name}')"
    return f"{module.name}.{name}" if module.form == "module" else name


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _stored(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _loaded(node: ast.AST) -> Iterator[str]:
    """The names that a statement reads and does not bind itself."""
    own = set(_stored(node))
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in own:
            yield part.id
