"""Conditions that hold only where a caller gives what has a default, though nobody does.

A flag that is off by default, and that nobody sets, is there for others or for nobody. Packages
offer their functions to all who import them: of these nothing is known.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice, product

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.callers import (
    Callers,
    Owner,
    call_of,
    innermost_function,
    owner_at,
    owner_of,
)
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.constant_arguments import Given, argument_of, telling_defaults
from autograd_lint.operators.table import load
from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

_MOST = 64  # combinations of what several parameters are given
_COMPARING: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
}
# What an option is: the constructor or function that is given it, and its name there.
Option = tuple[Owner, str]


def nobody_asks(why: Assumption, source: Source, project: Project) -> bool:
    """Whether a condition is true only for arguments that no caller in the project gives."""
    condition, options = _asked(why, source)
    if condition is None:
        return False
    given = {
        code: found
        for code, (owner, name) in options.items()
        if (found := Given(project).constants(owner, name))
    } | dict(_never_set(condition, source, project))
    ways = islice(product(*given.values()), _MOST)
    return bool(given) and not any(
        _truth(condition, dict(zip(given, values, strict=True))) is not False for values in ways
    )


def is_denied(why: Assumption, site: Mention, owner: Owner) -> bool:
    """Whether a call gives a function constants for which a condition in it does not hold:
    `run(train=True)` does not come to what is done where `train` is false."""
    call, function = call_of(site), owner.function
    if call is None or function is None:
        return False
    condition, options = _asked(why, owner.source)
    given = {
        code: value.value
        for code, (asked, name) in options.items()
        if asked.function is function
        and isinstance(
            value := argument_of(call, function, name, bound=owner.cls is not None), ast.Constant
        )
    }
    return condition is not None and _truth(condition, given) is False


def _never_set(
    condition: ast.expr, source: Source, project: Project
) -> Iterator[tuple[str, frozenset[object]]]:
    """What `getattr(options, "name", False)` comes to where nothing else speaks of that name."""
    for node in ast.walk(condition):
        match node:
            case ast.Call(
                func=ast.Name(id="getattr"),
                args=[_, ast.Constant(value=str(name)), ast.Constant(value=default)],
            ) if all(_only_asks(name, one) for one in (source, *project.speaking(name))):
                yield code_of(node), frozenset({default})


def _only_asks(name: str, source: Source) -> bool:
    """Whether a file gives nothing that name, and speaks of it only to ask for what has it."""
    attributes = any(one.attr == name for one in source.each(ast.Attribute))
    arguments = any(one.arg == name for one in source.each(ast.keyword))
    calls = (one for one in source.each(ast.Call) if code_of(one.func) == "getattr")
    asked = {id(part) for one in calls for part in one.args}
    told = (one for one in source.each(ast.Constant) if one.value == name)
    return not (attributes or arguments) and all(id(one) in asked for one in told)


def is_left_out(why: Assumption, source: Source, project: Project) -> bool:
    """Whether a condition is true only where a caller gives what is off, or nothing, by default.

    Who takes a function from a table may give it all that it takes.
    """
    owners = [owner for owner, _ in off_by_default(why, source)]
    return bool(owners) and not any(_is_in_table(owner, project) for owner in owners)


def off_by_default(why: Assumption, source: Source) -> list[Option]:
    """The options that a condition asks for which does not hold for what they are by default."""
    condition, options = _asked(why, source)
    return list(options.values()) if _by_defaults(condition, options) is False else []


def off_at(site: Mention) -> list[Option]:
    """The options which a condition around a mention asks for, where it is not come to for what
    they are by default."""
    outermost = owner_of(site)
    if outermost is None or outermost.function is None:
        return []
    for branch, inner in zip(site.around, [*site.around[1:], site.node], strict=True):
        if isinstance(branch, (ast.If, ast.IfExp)) and inner is not branch.test:
            options = dict(_options(branch.test, outermost))
            if _by_defaults(branch.test, options) is (not _is_taken(branch, inner)):
                return list(options.values())
    return []


def _is_taken(branch: ast.If | ast.IfExp, inner: ast.AST) -> bool:
    """Whether something that stands in a branch is come to where its condition holds."""
    held = branch.body if isinstance(branch.body, list) else [branch.body]
    return any(one is inner for one in held)


def _by_defaults(condition: ast.expr | None, options: Mapping[str, Option]) -> bool | None:
    """What a condition comes to for what the options in it are by default; None if that is open."""
    known = {
        code: telling[name]
        for code, (owner, name) in options.items()
        if owner.function is not None and name in (telling := telling_defaults(owner.function))
    }
    return _truth(condition, known) if condition is not None and known else None


def asks_strangers(why: Assumption, source: Source, project: Project) -> bool:
    """Whether a condition asks an option that is None by default for what no object of the project
    has: nobody makes one that could be given, though the project makes what takes it."""
    condition, options = _asked(why, source)
    nodes = ast.walk(condition) if condition is not None else ()
    for node in nodes:
        option = options.get(code_of(node.value)) if isinstance(node, ast.Attribute) else None
        if option is not None and isinstance(node, ast.Attribute) and _is_none(*option):
            return _is_made(option[0], project) and _is_strange(node.attr, source, project)
    return False


def _asked(why: Assumption, source: Source) -> tuple[ast.expr | None, dict[str, Option]]:
    """The condition that is assumed to be true, and the options which it asks for, as it does."""
    if why.condition is None or why.condition.place.filename != source.filename:
        return None, {}
    owner = owner_at(source, why.condition.place.row)
    try:
        condition = ast.parse(why.condition.code_that_holds, mode="eval").body
    except (SyntaxError, ValueError):
        return None, {}  # what an option is called may be no code
    if owner is None or owner.function is None:
        return condition, {}
    inner = innermost_function(source, why.condition.place.row)
    within = _options(condition, Owner(source, inner, None)) if inner is not None else ()
    return condition, {**dict(within), **dict(_options(condition, owner))}


def _options(condition: ast.expr, owner: Owner) -> Iterator[tuple[str, Option]]:
    """The names and attributes in a condition that are options, and whose they are."""
    assert owner.function is not None
    bound = {*parameters_of(owner.function), *_stored(owner.function)}
    maker = _constructor(owner)
    kept = _kept(maker) if maker is not None else {}
    for node in ast.walk(condition):
        code = code_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
        if code in parameters_of(owner.function):
            yield code, (owner, code)
        elif maker is not None and code and code not in bound:
            given = kept.get(code, code)
            if maker.function is not None and given in parameters_of(maker.function):
                yield code, (maker, given)


def _is_none(owner: Owner, name: str) -> bool:
    """Whether a parameter is None unless it is given."""
    assert owner.function is not None
    return telling_defaults(owner.function).get(name, name) is None


def _is_made(owner: Owner, project: Project) -> bool:
    """Whether the project makes objects of the class that a method is of."""
    made = Owner(owner.source, None, owner.cls)
    return owner.cls is not None and bool(Callers(project, made=True).sites(made))


def _is_strange(attribute: str, source: Source, project: Project) -> bool:
    """Whether no object is seen to get an attribute of that name, and no tensor has one."""
    if load().is_tensor_method(attribute):
        return False
    speaking = project.speaking(attribute)
    nodes = list(ast.walk(source.tree))
    stored = any(isinstance(n, ast.Attribute) and _is_set(n, attribute) for n in nodes)
    named = any(attribute in (getattr(n, "name", ""), getattr(n, "arg", "")) for n in nodes)
    names = any(isinstance(n, ast.Name) and n.id == attribute for n in nodes)
    told = any(isinstance(n, ast.Constant) and n.value == attribute for n in nodes)
    alone = [one.filename for one in speaking] == [source.filename]
    return alone and not (stored or named or names or told)


def _is_set(node: ast.Attribute, attribute: str) -> bool:
    return node.attr == attribute and isinstance(node.ctx, ast.Store)


def _is_in_table(owner: Owner, project: Project) -> bool:
    """Whether a function is handed on, other than by being kept as an attribute."""
    handed_on = [site for site in Callers(project).sites(owner) or () if call_of(site) is None]
    return not all(map(_is_kept, handed_on))


def _is_kept(site: Mention) -> bool:
    """Whether an object keeps what is mentioned, or a class derives from it."""
    innermost = next((node for node in reversed(site.around) if isinstance(node, ast.stmt)), None)
    if isinstance(innermost, ast.Assign):
        return all(isinstance(target, ast.Attribute) for target in innermost.targets)
    return isinstance(innermost, ast.ClassDef)


def _constructor(owner: Owner) -> Owner | None:
    """The constructor of the class that a method is of."""
    body = owner.cls.body if owner.cls is not None else []
    made = [one for one in body if isinstance(one, Definition) and one.name == "__init__"]
    return Owner(owner.source, made[0], owner.cls) if len(made) == 1 else None


def _kept(maker: Owner) -> dict[str, str]:
    """The attributes of an object that hold what it was made with, and nothing else."""
    assert maker.cls is not None and maker.function is not None
    nodes = [node for node in ast.walk(maker.cls) if isinstance(node, ast.Attribute)]
    stored = [code_of(node) for node in nodes if isinstance(node.ctx, ast.Store)]
    assigned = [node for node in ast.walk(maker.function) if isinstance(node, ast.Assign)]
    return {
        code_of(node.targets[0]): node.value.id
        for node in assigned
        if isinstance(node.value, ast.Name) and stored.count(code_of(node.targets[0])) == 1
    }


def _stored(function: Definition) -> Iterator[str]:
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    return (node.id for node in names if isinstance(node.ctx, ast.Store))


def _truth(node: ast.expr, known: Mapping[str, object]) -> bool | None:
    """Whether an expression is true where options have the known values; None if that is open."""
    if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) and code_of(node) in known:
        return bool(known[code_of(node)])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _truth(node.operand, known)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        parts = [_truth(value, known) for value in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node, known)
    return None


def _compared(node: ast.Compare, known: Mapping[str, object]) -> bool | None:
    """What a comparison of an option with a constant comes to."""
    code, other = code_of(node.left), node.comparators[0]
    compare = _COMPARING.get(type(node.ops[0]))
    if code not in known or not isinstance(other, ast.Constant) or compare is None:
        return None
    with suppress(TypeError):
        return bool(compare(known[code], other.value))
    return None
