"""The constants that a project gives for a parameter, by way of all the functions in between."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.callers import Callers, Owner, call_of, owner_of
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.option_defaults import option_defaults
from autograd_lint.facts.signatures import arguments_of, defaults_of
from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import binds

_MOST = 40  # functions that are asked for one parameter

Constants = frozenset[object]


def telling_defaults(function: Definition | ast.Lambda) -> dict[str, object]:
    """The parameters that are None, True or False unless they are given."""
    return {
        name: default.value
        for name, default in defaults_of(function).items()
        if isinstance(default, ast.Constant)
        and any(default.value is value for value in (None, True, False))
    }


@dataclass
class Given:
    """Asks a project what it gives; a package may be given anything by others, and so may steps of
    modules, which are called by whatever names they have."""

    project: Project
    asked: set[tuple[str, int, str]] = field(default_factory=set)

    def constants(self, owner: Owner, name: str) -> Constants | None:
        """What a parameter is given by all callers; None where one is not known, or none is."""
        function = owner.function
        if function is None or function.name == "forward" or self.project.offers(owner.name):
            return None
        key = (owner.source.filename, function.lineno, name)
        if key in self.asked:
            return frozenset()  # what it hands to itself is what it was given
        if len(self.asked) > _MOST:
            return None
        self.asked.add(key)
        found = [self._at(site, owner, name) for site in Callers(self.project).sites(owner) or ()]
        known = [one for one in found if one is not None]
        return frozenset().union(*known) if found and len(known) == len(found) else None

    def _at(self, site: Mention, owner: Owner, name: str) -> Constants | None:
        """What one mention of a function gives for its parameter."""
        call, function = call_of(site), owner.function
        assert function is not None
        if call is not None:
            return self._in_call(call, site, function, name, bound=owner.cls is not None)
        derived = site.around[-1] if site.around else None
        if isinstance(derived, ast.ClassDef) and site.node in derived.bases:
            return self._by_derived(derived, site, owner, name)
        return None

    def _by_derived(
        self, derived: ast.ClassDef, site: Mention, owner: Owner, name: str
    ) -> Constants | None:
        """What a derived class gives to the constructor of its base."""
        assert owner.function is not None and owner.cls is not None
        own = [one for one in derived.body if getattr(one, "name", "") == "__init__"]
        if owner.function.name != "__init__" or len(own) > 1 or len(site.around) > 2:
            return None
        if not own:  # it is made as its base is
            made = Owner(site.source, None, derived)
            sites = Callers(self.project).sites(made) or ()
            found = [self._at(one, owner, name) for one in sites]
            known = [one for one in found if one is not None]
            return frozenset().union(*known) if found and len(known) == len(found) else None
        assert isinstance(own[0], Definition)
        calls = [node for node in ast.walk(own[0]) if _is_of_base(node)]
        if len(calls) != 1 or not isinstance(calls[0], ast.Call):
            return None
        call = Mention(site.source, site.node, (*site.around, own[0], calls[0]))
        return self._in_call(calls[0], call, owner.function, name, bound=True)

    def _in_call(
        self, call: ast.Call, site: Mention, function: Definition, name: str, *, bound: bool
    ) -> Constants | None:
        value = argument_of(call, function, name, bound=bound)
        if isinstance(value, ast.Constant):
            return frozenset({value.value})
        if isinstance(value, ast.Attribute) and value.attr == "training":
            return frozenset({True})  # what goes wrong matters where something is trained
        if isinstance(value, ast.Attribute) and code_of(value.value) != "self":
            default = option_defaults(site.source).get(value.attr)
            return frozenset({default.value}) if default is not None else None
        around = owner_of(site)
        if not isinstance(value, ast.Name) or around is None or around.function is None:
            return None
        if value.id not in parameters_of(around.function) or _is_bound(value.id, site, around):
            return None
        return self.constants(around, value.id)


def argument_of(call: ast.Call, function: Definition, name: str, *, bound: bool) -> ast.expr | None:
    """What a call gives for a parameter, or leaves it by default; None where that is open."""
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if any(one.arg is None for one in call.keywords):
        return None
    given = arguments_of(call, function, bound=bound)
    return given.get(name) or defaults_of(function).get(name)


def _is_of_base(node: ast.AST) -> bool:
    """Whether a node calls the constructor of a base by `super()`."""
    function = code_of(node.func) if isinstance(node, ast.Call) else ""
    return function.startswith("super(") and function.endswith(".__init__")


def _is_bound(name: str, site: Mention, around: Owner) -> bool:
    """Whether the name is another's by then, or is given something else in the function."""
    assert around.function is not None
    inner = (one for one in site.around if one is not around.function)
    rebound = any(isinstance(one, Definition) and name in parameters_of(one) for one in inner)
    return rebound or any(binds(one, name) for one in ast.walk(around.function))
