"""Where what a parameter is given comes from, by way of all the functions in between.

That is data (read, made of numbers, cut off from its graph, or the input of a model that is no part
of another) or computed by a module. It is read off the code of the callers, which is not run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.callers import Callers, Owner, Use, call_of, owner_of
from autograd_lint.facts.class_kinds import Definition, is_module, is_named_module
from autograd_lint.facts.constant_arguments import argument_of
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.project.code import code_of, given_to
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query

_MOST = 40  # parameters that are asked for one
# What makes tensors of numbers, or of the memory of others, and what ends a graph.
_MAKES = re.compile(
    r"(?:torch|np|numpy)\.(?:from_numpy|(?:as_)?tensor|zeros|ones|empty|full|eye|arange|linspace|"
    r"array|load|rand\w*|normal)(?:_like)?$|^(?:int|float|len|bool|str)$"
)
_ENDS = {"detach", "numpy", "item", "tolist"}
# Methods whose arguments hold no gradient.
_FORMS = {
    *("to", "cpu", "cuda", "float", "double", "half", "type", "contiguous"),
    *("view", "reshape", "permute", "transpose", "expand", "repeat", "squeeze", "unsqueeze"),
}
_PLAIN = {"shape", "data", "device", "dtype", "size"}


class Origin(Enum):
    """Where a value comes from."""

    DATA = "data"
    COMPUTED = "computed by a module"
    UNKNOWN = "nothing tells"


@dataclass
class Origins:
    """Asks the files of a project; tests aside."""

    project: Project
    asked: set[tuple[str, int, str]] = field(default_factory=set)

    def of_parameter(self, owner: Owner, name: str) -> Origin:
        """Where a parameter comes from: computed where one caller gives it something that is, else
        data where one gives it data. Of callers of which nothing tells nothing follows."""
        function = owner.function
        if function is None or name not in parameters_of(function) or len(self.asked) > _MOST:
            return Origin.UNKNOWN
        key = (owner.source.filename, function.lineno, name)
        if key in self.asked:
            return Origin.DATA  # what it hands to itself is what it was given
        self.asked.add(key)
        if owner.cls is not None and function.name in ("forward", "__call__"):
            return self._of_input(owner, name)
        sites = Callers(self.project).sites(owner)
        return _among(self._at(site, owner, name) for site in sites or ())

    def _of_input(self, owner: Owner, name: str) -> Origin:
        """Where the input of a module comes from: a whole model is given data."""
        if owner.cls is None or not is_named_module(owner.cls):
            return Origin.UNKNOWN
        made = Callers(self.project, made=True)
        if made.use(Owner(owner.source, None, owner.cls)) is Use.UNTRAINED:
            return Origin.DATA
        parts = made.sites(Owner(owner.source, None, owner.cls)) or []
        calls = [call for site in parts for call in _calls_of_part(site)]
        return _among(self._at(call, owner, name) for call in calls)

    def _at(self, site: Mention, owner: Owner, name: str) -> Origin:
        """Where what a call gives for a parameter comes from."""
        call, around = call_of(site), owner_of(site)
        assert owner.function is not None
        if call is None or around is None or around.function is None:
            return Origin.UNKNOWN
        value = argument_of(call, owner.function, name, bound=owner.cls is not None)
        return Origin.UNKNOWN if value is None else self.of_value(value, around)

    def of_value(
        self, value: ast.expr, around: Owner, seen: frozenset[str] = frozenset()
    ) -> Origin:
        """Where the value of an expression in a function comes from."""
        if isinstance(value, ast.Constant | ast.Compare):
            return Origin.DATA
        if isinstance(value, ast.Name):
            return self._of_name(value.id, around, seen)
        if isinstance(value, ast.Call):
            return self._of_call(value, around, seen)
        if isinstance(value, ast.Attribute):
            plain = value.attr in _PLAIN
            of_self = code_of(value.value) == "self"
            if plain or of_self:
                return Origin.DATA if plain else Origin.UNKNOWN
            return self.of_value(value.value, around, seen)
        if isinstance(value, ast.Subscript):
            return self.of_value(value.value, around, seen)
        parts = [one for one in ast.iter_child_nodes(value) if isinstance(one, ast.expr)]
        return together(self.of_value(one, around, seen) for one in parts)

    def _of_name(self, name: str, around: Owner, seen: frozenset[str]) -> Origin:
        """Where a local name comes from: what is bound to it, and what the function is given."""
        function = around.function
        assert function is not None
        if name in seen:
            return Origin.DATA  # what it is computed from before
        bound = _bound(function).get(name, [])
        found = [
            Origin.UNKNOWN if one is None else self.of_value(one, around, seen | {name})
            for one in bound
        ]
        if name in parameters_of(function):
            found.append(self.of_parameter(around, name))
        return together(found)

    def _of_call(self, call: ast.Call, around: Owner, seen: frozenset[str]) -> Origin:
        code, function = code_of(call.func), call.func
        if _MAKES.search(code):
            asks = any(one.arg == "requires_grad" for one in call.keywords)
            return Origin.UNKNOWN if asks else Origin.DATA
        if isinstance(function, ast.Attribute) and function.attr in _ENDS:
            return Origin.DATA
        if code.startswith("self."):
            cls = around.cls
            return Origin.COMPUTED if cls is not None and is_module(cls) else Origin.UNKNOWN
        if isinstance(function, ast.Attribute) and function.attr in _FORMS:
            return self.of_value(function.value, around, seen)
        given = given_to(call)
        if code.startswith(("torch.", "F.", "np.")):
            return together(self.of_value(one, around, seen) for one in given)
        if isinstance(function, ast.Attribute):
            return together(self.of_value(one, around, seen) for one in (function.value, *given))
        return Origin.UNKNOWN


def together(found: Iterable[Origin]) -> Origin:
    """What several origins are together; nothing tells where there are none."""
    all_of_them = set(found)
    if Origin.COMPUTED in all_of_them:
        return Origin.COMPUTED
    return Origin.DATA if all_of_them == {Origin.DATA} else Origin.UNKNOWN


def _among(found: Iterable[Origin]) -> Origin:
    """What callers give, by those of whom something tells."""
    return together(one for one in found if one is not Origin.UNKNOWN)


def _calls_of_part(made: Mention) -> Iterator[Mention]:
    """The calls of an object that a class makes and keeps as an attribute, in that class."""
    cls = next((one for one in made.around if isinstance(one, ast.ClassDef)), None)
    statement = made.around[-2] if len(made.around) > 1 else None
    if cls is None or not isinstance(statement, ast.Assign) or is_test(made.source):
        return
    kept = code_of(statement.targets[0])
    for method in cls.body:
        for node in ast.walk(method) if isinstance(method, Definition) else ():
            if isinstance(node, ast.Call) and code_of(node.func) == kept:
                yield Mention(made.source, node.func, (cls, method, node))  # type: ignore[arg-type]


@query
def _bound(function: Definition) -> dict[str, list[ast.expr | None]]:
    """What is bound to each local name of a function; None for what is not an assignment."""
    found: dict[str, list[ast.expr | None]] = {}
    values = {id(node): value for node, value in _assigned(function)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, []).append(values.get(id(node)))
    return found


def _assigned(function: Definition) -> Iterator[tuple[ast.AST, ast.expr]]:
    """The targets of the assignments of a function, each with what it is given, or a part of."""
    for node in ast.walk(function):
        if isinstance(node, ast.AugAssign):
            yield node.target, node.value
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            assert isinstance(node, ast.Assign)
            yield from ((part, node.value) for part in ast.walk(target))
