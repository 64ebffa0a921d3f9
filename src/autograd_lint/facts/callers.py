"""What the files of a project do with a function or a class of one of them.

A harness calls what nothing in its file calls, and takes for granted that grad mode is on, that a
loss is made of the result, and that what goes in may come from parameters. The callers in other
files know better. They are not run: the code around each mention of the name says what it is for,
or is itself a function, whose callers are asked in turn.
"""

from __future__ import annotations

import ast
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from autograd_lint.facts.attribute_owners import is_of_others
from autograd_lint.facts.class_kinds import (
    Definition,
    is_custom_function,
    is_data,
    is_module,
    last_names,
)
from autograd_lint.facts.data_calls import is_given_data
from autograd_lint.facts.effects import effects, effects_in
from autograd_lint.facts.evaluation_code import is_evaluating
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.method_families import is_of_one_family
from autograd_lint.facts.result_uses import Sink, becomes_array, sink
from autograd_lint.facts.signatures import takes
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_REACH = 8  # callers of callers that are asked
_MOST = 40  # names that are asked for on behalf of one
_NO_GRAD = re.compile(r"\b(?:no_grad|inference_mode)\b|\bset_grad_enabled\(False\)")
_FORWARDS = {"forward", "training_step", "__call__"}
_PLAIN = re.compile(
    r"(?:static|class)method$|property$|^torch\.jit\.|cache|\bcompile$"
)  # decorators
# What registers a function that torch runs below autograd: the kernels and the backward of custom
# operators. Source: torch/library.py
_BELOW_AUTOGRAD = re.compile(r"\.?(?:register_(?:autograd|fake|kernel|vmap)|custom_op|triton_op)$")


class Use(Enum):
    """What something is used for, the strongest evidence first."""

    TRAINED = "in a module, or where backward is run"
    UNKNOWN = "nothing tells"
    UNTRAINED = "without grad mode, for data, or where nothing is trained"


@dataclass(frozen=True)
class Owner:
    """A function with the class that it is a method of, or a class by itself."""

    source: Source
    function: Definition | None
    cls: ast.ClassDef | None

    @property
    def name(self) -> str:
        """The name by which others mention it: objects are made by the name of their class."""
        if self.function is None or (self.cls is not None and self.function.name[:2] == "__"):
            assert self.cls is not None
            return self.cls.name
        return self.function.name

    @property
    def path(self) -> str:
        """Its name in the file (`Net.forward`)."""
        return ".".join(node.name for node in (self.cls, self.function) if node is not None)


def outermost(owner: Owner) -> Owner:
    """What stands at the top of a file: the function, or the class that it is a method of."""
    return Owner(owner.source, owner.function if owner.cls is None else None, owner.cls)


def outermost_name(owner: Owner) -> str:
    """The name at the top of a file under which a function or its class is found."""
    node = owner.cls or owner.function
    assert node is not None
    return node.name


def owner_at(source: Source, row: int) -> Owner | None:
    """The outermost function around a row, or the method of an outermost class."""
    node = _at(_definitions(source), row)
    if isinstance(node, ast.ClassDef):
        methods = [m for m in node.body if isinstance(m, Definition) and covers(m, row)]
        return Owner(source, methods[0] if methods else None, node)
    return Owner(source, node, None) if node is not None else None


def _at(found: Sequence[Definition | ast.ClassDef], row: int) -> Definition | ast.ClassDef | None:
    """The one of some definitions, in order, that a row stands in."""
    position = bisect_right(found, row, key=_first_row) - 1
    return found[position] if position >= 0 and covers(found[position], row) else None


@query
def _definitions(source: Source) -> list[Definition | ast.ClassDef]:
    """The definitions that stand at the top of a file, in order."""
    return [one for one in source.tree.body if isinstance(one, (Definition, ast.ClassDef))]


def innermost_function(source: Source, row: int) -> Definition | None:
    """The function of a file that a row stands in, the innermost of several."""
    plain, waiting = source.each(ast.FunctionDef), source.each(ast.AsyncFunctionDef)
    functions: list[Definition] = [*plain, *waiting]
    around = [one for one in functions if covers(one, row)]
    return max(around, key=lambda one: one.lineno, default=None)


def in_other_functions(source: Source, one: Place | None, other: Place | None) -> bool:
    """Whether two places of the file that runs stand in different functions."""
    if one is None or other is None or {one.filename, other.filename} != {source.filename}:
        return False
    functions = [innermost_function(source, place.row) for place in (one, other)]
    return functions[0] is not None and functions[0] is not functions[1]


def covers(node: ast.stmt | ast.expr, row: int) -> bool:
    """Whether a row is one of a statement or an expression, or of its decorators."""
    return _first_row(node) <= row <= (node.end_lineno or row)


def _first_row(node: ast.stmt | ast.expr) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min((one.lineno for one in decorators), default=node.lineno)


def is_registered(owner: Owner) -> bool:
    """Whether a decorator may hand it to somebody who is not seen."""
    node = owner.cls if owner.function is None else owner.function
    marks = node.decorator_list if node is not None else []
    return not all(_PLAIN.search(code_of(mark)) or _switches_off(mark) for mark in marks)


@dataclass
class Callers:
    """Asks the files of a project; `made` asks who makes objects of a class, else who calls.

    What a package offers may be called by anybody, but what helps its optimizers by theirs.
    """

    project: Project
    made: bool = False
    asked: set[tuple[str, str, str]] = field(default_factory=set)

    def use(self, owner: Owner) -> Use:
        """What something is used for, as far as all that mention it tell."""
        found = set()
        if not self.made and self.project.offers(owner.name) and not self._helps_step(owner):
            return Use.UNKNOWN
        for use in self._uses(owner):
            if use is Use.TRAINED:
                return use
            found.add(use)
        return Use.UNTRAINED if found == {Use.UNTRAINED} else Use.UNKNOWN

    def _helps_step(self, owner: Owner) -> bool:
        """Whether nothing calls it but steps of optimizers, with grad mode off."""
        calls = [site for site in self.sites(owner) or () if _is_called(site)]
        return bool(calls) and all(map(_is_in_step, calls))

    def sites(self, owner: Owner) -> list[Mention] | None:
        """Where the project speaks of it, tests aside; None where that is too often to tell."""
        mentions = self.project.mentions(owner.name)
        if mentions is None:
            return None
        return [one for one in mentions if self._means(one, owner) and not is_test(one.source)]

    def meant(self, owner: Owner) -> list[Mention]:
        """Where the project speaks of it for sure: not of what only has the same name."""
        sites = self.sites(owner) or []
        alone = self._is_alone(owner)
        return [site for site in sites if not _is_strange(site, owner, alone=alone)]

    def only_indirect(self, owner: Owner) -> bool:
        """Whether the project hands it on, or calls it without grad mode, but never plainly."""
        sites = self.sites(owner)
        calls = [site for site in sites or () if _is_called(site)]
        return bool(sites) and all(any(map(without_grad, call.around)) for call in calls)

    def _uses(self, owner: Owner, depth: int = 0) -> Iterator[Use]:
        """What each mention tells; nothing where a way leads back to where it began."""
        cls = owner.cls.name if owner.cls is not None else ""
        key = (owner.source.filename, cls, owner.name)
        if key in self.asked:
            return
        self.asked.add(key)
        if is_registered(owner):
            yield Use.UNKNOWN
        sites = self.sites(owner) if len(self.asked) <= _MOST and depth < _REACH else None
        if sites is None:
            yield Use.UNKNOWN
            return
        alone = self._is_alone(owner)
        if not any(alone or _is_meant(site, owner) or self.made for site in sites):
            yield Use.UNKNOWN
        for site in sites:
            found = self.judged(site, depth + 1)
            strange = _is_strange(site, owner, alone=alone)
            yield from (use for use in found if not strange or use is Use.TRAINED)

    def _is_alone(self, owner: Owner) -> bool:
        """Whether it is a method, and nothing else in the project has one of that name."""
        cls = owner.cls if _is_method(owner) else None
        return cls is not None and is_of_one_family(owner.name, cls, self.project)

    def _means(self, mention: Mention, owner: Owner) -> bool:
        """Whether a mention may be one of this function or class, and no other of its name."""
        is_method = _is_method(owner)
        if not _fits(mention, owner):
            return False
        if mention.source.filename == owner.source.filename:
            own = owner.function if is_method else owner.cls or owner.function
            is_name = isinstance(mention.node, ast.Name)
            return is_name is not is_method and not _is_inside(mention, own)
        if isinstance(mention.node, ast.Attribute):
            if self.made or is_method:
                return True
            others = is_of_others(mention, _module(owner), self.project)
            return not others and _knows(mention.source, owner)
        return not is_method and _imports(mention.source, owner.name)

    def judged(self, site: Mention, depth: int = 0) -> Iterator[Use]:
        """What a single mention tells: by what stands around it, and by whoever uses that."""
        without = any(map(without_grad, site.around)) or _becomes_array(site)
        if not self.made and (without or is_evaluating(site) or self._uses_evaluated(site)):
            yield Use.UNTRAINED
        else:
            yield from self._around(site, depth)

    def _around(self, site: Mention, depth: int) -> Iterator[Use]:
        """What the function or class says in which a mention stands."""
        call = call_of(site)
        within = any(isinstance(n, ast.ClassDef) and is_custom_function(n) for n in site.around)
        data = call is not None and is_given_data(call, site, self.project)
        below = _is_registered_below(site)
        if not self.made and (within or data or below or _is_of_optimizer(site)):
            yield Use.UNTRAINED
            return
        owner = owner_of(site)
        if owner is None:
            yield self._at_top(site)
        elif (
            owner.cls is not None and site.around[-1] is owner.cls and site.node in owner.cls.bases
        ):
            yield from self._uses(Owner(site.source, None, owner.cls), depth)
        elif owner.cls is not None:
            yield from self._in_class(owner, site, depth)
        elif self._trains(owner):
            yield from self._in_training(owner, site, depth)
        else:
            yield from self._uses(owner, depth)

    def _in_training(self, owner: Owner, site: Mention, depth: int) -> Iterator[Use]:
        """What is called by a function that runs backward: some of it is only looked at there."""
        assert owner.function is not None
        found = Sink.OBSERVED if self.made else sink(site, owner.function)
        if found is Sink.RETURNED:
            yield from self._uses(owner, depth)
        else:
            yield Use.TRAINED if found is Sink.TRAINED else Use.UNTRAINED

    def _at_top(self, site: Mention) -> Use:
        """What a statement outside of functions says: a script that is run, or a table."""
        if call_of(site) is None or _in_lambda(site):
            return Use.UNKNOWN
        trains = not self.made and effects(site.source.tree).differentiates
        return Use.TRAINED if trains else Use.UNTRAINED

    def _in_class(self, owner: Owner, site: Mention, depth: int) -> Iterator[Use]:
        assert owner.cls is not None
        call = call_of(site)
        name = owner.function.name if owner.function is not None else ""
        if is_module(owner.cls):
            # What is kept there, and not called, is for later.
            kept = owner.function is None or (name == "__init__" and call is None)
            if self.made or kept or name in _FORWARDS:
                yield Use.TRAINED
            elif name == "__init__":
                yield Use.UNTRAINED
            else:
                yield from self._uses(owner, depth)
        elif is_data(owner.cls) or is_custom_function(owner.cls):
            yield Use.UNTRAINED
        elif self.made:
            yield Use.UNTRAINED if owner.function is not None else Use.UNKNOWN
        elif self._trains(owner):
            yield from self._in_training(owner, site, depth)
        else:
            yield from self._uses(owner, depth)

    def _uses_evaluated(self, site: Mention) -> bool:
        """Whether a function has put a model into evaluation mode by then, and runs no backward."""
        owner = owner_of(site)
        if owner is None or owner.function is None or self._trains(owner):
            return False
        calls = [part for part in ast.walk(owner.function) if isinstance(part, ast.Call)]
        earlier = [call for call in calls if call.lineno < site.node.lineno and not call.args]
        return any(getattr(call.func, "attr", "") == "eval" for call in earlier)

    def _trains(self, owner: Owner) -> bool:
        node = owner.function
        return node is not None and effects_in(owner.source, node).differentiates


def _becomes_array(site: Mention) -> bool:
    """Whether the function around a call hands what this returns to NumPy."""
    owner = owner_of(site)
    return owner is not None and owner.function is not None and becomes_array(site, owner.function)


def owner_of(site: Mention) -> Owner | None:
    """The outermost function around a mention, or the method of a class."""
    function: Definition | None = None
    for node in site.around:
        if isinstance(node, ast.ClassDef):
            inner = [n for n in site.around if isinstance(n, Definition)]
            return Owner(site.source, inner[0] if inner else None, node)
        if isinstance(node, Definition):
            function = node
            break
    return Owner(site.source, function, None) if function is not None else None


def call_of(site: Mention) -> ast.Call | None:
    """The call of what is mentioned, where it is called there."""
    parent = site.around[-1] if site.around else None
    return parent if isinstance(parent, ast.Call) and parent.func is site.node else None


def _fits(site: Mention, owner: Owner) -> bool:
    """Whether a mention is no call that gives a function what it does not take."""
    call, function = call_of(site), owner.function
    if call is None or function is None or function.name != owner.name:
        return True
    return takes(function, call, method=owner.cls is not None)


def _is_called(site: Mention) -> bool:
    """Whether what is mentioned is called there, by itself or for each part of a module."""
    parent = site.around[-1] if site.around else None
    applied = isinstance(parent, ast.Call) and code_of(parent.func).endswith(".apply")
    return (applied or call_of(site) is not None) and not _in_lambda(site)


def _in_lambda(site: Mention) -> bool:
    """Whether a call is left to whoever is given a lambda."""
    return any(isinstance(node, ast.Lambda) for node in site.around)


def _is_method(owner: Owner) -> bool:
    return owner.cls is not None and owner.name != owner.cls.name


def _is_inside(mention: Mention, node: ast.AST | None) -> bool:
    """Whether a mention stands in a definition of its file, by its position."""
    row = getattr(node, "lineno", 0)
    return any(
        type(one) is type(node) and getattr(one, "lineno", 0) == row for one in mention.around
    )


def _is_registered_below(site: Mention) -> bool:
    """Whether it is registered as a part of a custom operator, or used in such a part."""
    handed = (n.func for n in site.around if isinstance(n, ast.Call) and n.func is not site.node)
    marks = (m for one in site.around if isinstance(one, Definition) for m in one.decorator_list)
    called = (one.func if isinstance(one, ast.Call) else one for one in (*handed, *marks))
    return any(_BELOW_AUTOGRAD.search(code_of(one)) for one in called)


def _imports(source: Source, name: str) -> bool:
    """Whether a file gets a name from elsewhere, and not by defining it."""
    own = {getattr(node, "name", "") for node in source.tree.body}
    return name not in own and any(
        alias.name in (name, "*") for node in source.each(ast.ImportFrom) for alias in node.names
    )


def _is_strange(site: Mention, owner: Owner, *, alone: bool) -> bool:
    """Whether a mention may be one of a method of another class, which has that name, too."""
    return _is_method(owner) and not alone and not _is_meant(site, owner)


def _is_meant(site: Mention, owner: Owner) -> bool:
    """Whether a mention stands where that very thing is known, be it in a class it overrides."""
    outermost = next((one for one in site.around if isinstance(one, ast.ClassDef)), None)
    bases = last_names(owner.cls) if owner.cls is not None else []
    return _knows(site.source, owner) or (outermost is not None and outermost.name in bases)


def _knows(source: Source, owner: Owner) -> bool:
    """Whether a file speaks of a class, or of the module that something is defined in."""
    names = [_module(owner), owner.cls.name if owner.cls is not None else owner.name]
    if source.filename == owner.source.filename:
        return True
    # Most files do not even have it as a part of a word, which is told much sooner.
    spoken = (name for name in names if name in source.text)
    return any(re.search(rf"\b{re.escape(name)}\b", source.text) for name in spoken)


def _module(owner: Owner) -> str:
    """The name of the module that something is defined in."""
    stem, _ = os.path.splitext(os.path.basename(owner.source.filename))
    if stem == "__init__":
        stem = os.path.basename(os.path.dirname(owner.source.filename))
    return stem


def without_grad(node: ast.AST) -> bool:
    """Whether a `with` or a function switches grad mode off."""
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return any(_switches_off(item.context_expr) for item in node.items)
    return isinstance(node, Definition) and any(map(_switches_off, node.decorator_list))


def _switches_off(node: ast.expr) -> bool:
    return _NO_GRAD.search(code_of(node)) is not None


def _is_in_step(site: Mention) -> bool:
    """Whether it stands in a `step` that grad mode is off in."""
    steps = [one for one in site.around if isinstance(one, Definition) and one.name == "step"]
    return any(map(without_grad, steps))


def _is_of_optimizer(site: Mention) -> bool:
    """Whether it is an option beside parameters: what a step does with it is not recorded."""
    parent = site.around[-1] if site.around else None
    keys = parent.keys if isinstance(parent, ast.Dict) and site.node in parent.values else []
    return any(isinstance(key, ast.Constant) and key.value == "params" for key in keys)
