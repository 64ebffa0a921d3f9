"""What is worth an analysis: a text in which nothing can go wrong is passed over."""

from __future__ import annotations

import ast
import builtins
import re
import string
from collections.abc import Iterable, Iterator

from autograd_lint.facts.effects import trains_in as trains_in
from autograd_lint.facts.plain_values import scopes
from autograd_lint.facts.triggers import may_hold_fault, triggers
from autograd_lint.project.gate import mentions_torch
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# What stands between words, as blanks: some times faster than a pattern.
_BETWEEN = str.maketrans(dict.fromkeys(set(string.punctuation) - {"_"}, " "))

# What computes with tensors: torch by name, or a method of anything but the keyword arguments.
_COMPUTES = re.compile(r"\btorch\.|\bF\.|(?<!kwargs)\.[a-z_]+\(")

_SETS_OWN = re.compile(r"\bself\.\w+\s*(?:=[^=]|,)")

_SETTING = re.compile(r"(?:^|_)(?:init|load|reset|save)")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def is_worth_running(source: Source, project: Project) -> bool:
    """Whether a file has something to look at itself, or runs what has from other files."""
    if "torch" in source.text and may_hold_fault(source.text):
        return True
    if not leads_to_suspect(source, project):
        return False
    foreign = _foreign(source, project)
    return any(_calls(statement, foreign) for statement in source.tree.body)


def leads_to_suspect(source: Source, project: Project) -> bool:
    """Whether a file imports, directly or not, one that has something to look at."""
    return any(project.look(path, _is_suspect) for path in project.reached(source.filename))


def _is_suspect(data: bytes) -> bool:
    """Whether a file that is imported has something to look at."""
    return mentions_torch(data) and may_hold_fault(data.decode(errors="replace"))


def _foreign(source: Source, project: Project) -> set[str]:
    """The names that a file has from Python, or imports from outside of the project."""
    found = set(dir(builtins))
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            parts = ((alias, [alias.name]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            inner = f"{module}." if module else ""
            parts = ((alias, [module, f"{inner}{alias.name}"]) for alias in node.names)
        else:
            continue
        level = getattr(node, "level", 0)
        for alias, names in parts:
            if not any(project.leads(name, source.filename, level) for name in names):
                found.add(alias.asname or alias.name.split(".")[0])
    return found


def _calls(statement: ast.stmt, foreign: set[str]) -> bool:
    """Whether a statement outside of functions and classes calls what is not foreign."""
    if isinstance(statement, Definition):
        return False
    called = (part.func for part in ast.walk(statement) if isinstance(part, ast.Call))
    return any(_root(function) not in foreign for function in called)


def _root(node: ast.expr) -> str:
    """The name that what is called begins with; that of a builtin where it is no name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else "str"


def leads_to_fault(source: Source, node: ast.AST) -> bool:
    """Whether a fault may be in a piece of the program, or in a function of the file it calls."""
    found = triggers(source)
    return found.within(node) or not risky_names(source).isdisjoint(found.called(node))


def leads_to_act(source: Source, node: ast.AST) -> bool:
    """Whether a piece of the program, or a function of the file it calls, does what may concern
    another: writes, walks, sets a flag or a mode."""
    found = triggers(source)
    return found.acts_within(node) or not acting_names(source).isdisjoint(found.called(node))


@query
def acting_names(source: Source) -> frozenset[str]:
    """The functions and methods of a file that do what may concern others."""
    found = triggers(source)
    return frozenset(node.name for node in functions(source.tree.body) if found.acts_within(node))


@query
def risky_names(source: Source) -> frozenset[str]:
    """The functions and methods of a file in which a fault may be."""
    found = triggers(source)
    return frozenset(node.name for node in functions(source.tree.body) if found.within(node))


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Top-level functions, and the methods of top-level classes."""
    return (scope.function for scope in scopes(body))


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.translate(_BETWEEN).split()


@query
def words_in(source: Source, node: ast.AST) -> frozenset[str]:
    """The words of a piece of code."""
    return frozenset(words(source.segment(node)))


def definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Top-level definitions, those under `if` and `try` too."""
    for node in body:
        if isinstance(node, Definition):
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            yield from definitions(node.body)
            yield from definitions(node.orelse)


def outside_is_plain(source: Source) -> bool:
    """Whether nothing that a fault needs stands outside of a module's functions and classes."""
    rows = set(triggers(source).rows)
    for node in definitions(source.tree.body):
        rows.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return not rows


def called(source: Source, names: Iterable[str]) -> set[str]:
    """What the definitions of those names call by its name alone, each other than itself."""
    nodes = {node.name: node for node in definitions(source.tree.body)}
    found = triggers(source)
    return {used for name in names for used in found.named(nodes[name]) if used != name}


def _keeps_state(source: Source, definition: Definition) -> bool:
    """Whether `forward` both reads and sets an attribute: it may carry a graph on."""
    for method in definition.body if isinstance(definition, ast.ClassDef) else ():
        is_forward = isinstance(method, ast.FunctionDef) and method.name == "forward"
        if is_forward and _SETS_OWN.search(source.segment(method)):
            used = [node for node in ast.walk(method) if isinstance(node, ast.Attribute)]
            own = [n for n in used if isinstance(n.value, ast.Name) and n.value.id == "self"]
            stored = {node.attr for node in own if isinstance(node.ctx, ast.Store)}
            if any(node.attr in stored for node in own if isinstance(node.ctx, ast.Load)):
                return True
    return False


@query
def _uses(source: Source, node: Definition) -> frozenset[str]:
    """The words in a definition by which something may matter to it."""
    computes = isinstance(node, ast.ClassDef) or _COMPUTES.search(source.segment(node))
    return words_in(source, node) if computes else frozenset()


@query
def suspects(source: Source) -> list[str]:
    """The definitions to run: those with a trigger, and those that use one that matters to them.

    A class matters to the classes that use it, a function to everything that calls it and computes
    with tensors: a function that merely makes a module cannot go wrong by what the module does when
    it is called, and what only sets or loads values is judged by itself.
    """
    nodes = {node.name: node for node in definitions(source.tree.body)}
    marks = triggers(source)
    found = {
        name for name in nodes if marks.within(nodes[name]) or _keeps_state(source, nodes[name])
    }
    if not found:
        return []
    used_by = {name: _uses(source, node) for name, node in nodes.items() if name not in found}
    matters = {name for name in found if _concerns_users(source, nodes[name])}
    while True:
        functions = {name for name in matters if not isinstance(nodes[name], ast.ClassDef)}
        more = {
            name
            for name, used in used_by.items()
            if name not in found
            and used & (matters if isinstance(nodes[name], ast.ClassDef) else functions)
        }
        if not more:
            return [name for name in nodes if name in found]
        found |= more
        matters |= more


def users_of_training(source: Source) -> list[str]:
    """The functions that use a class or function which trains, and are not worth a run by
    themselves: they give it what it trains."""
    suspected = set(suspects(source))
    nodes = list(definitions(source.tree.body))
    found = (one for one in nodes if one.name in suspected)
    training = {one.name for one in found if trains_in(source, one)}
    functions = (one for one in nodes if isinstance(one, _FUNCTIONS) and one.name not in suspected)
    return [one.name for one in functions if not training.isdisjoint(words_in(source, one))]


def _sets_values(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function, by its name, is there to set or load values before a training."""
    return function.name != "__init__" and _SETTING.search(function.name) is not None


def _concerns_users(source: Source, definition: Definition) -> bool:
    """Whether anything stands in a definition but what sets or loads values."""
    own = definition.body if isinstance(definition, ast.ClassDef) else [definition]
    marks = triggers(source)
    apart = [one for one in own if isinstance(one, _FUNCTIONS) and _sets_values(one)]
    rows = marks.rows_within(definition).difference(*map(marks.rows_within, apart))
    return bool(rows) or _keeps_state(source, definition)
