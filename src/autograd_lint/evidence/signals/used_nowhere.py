"""Nothing in a program that trains uses the class or function that does something wrong silently.

class Hook:                     # no file of the project makes one, and no package offers it
    def __init__(self, module):
        module.register_backward_hook(self.keep)

An evaluation that builds a graph is wrong wherever it is called from.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.evidence.signals.only_used_otherwise import trains
from autograd_lint.facts.callers import Callers, Owner, is_registered, outermost_name
from autograd_lint.facts.class_kinds import last_names
from autograd_lint.facts.effects import trains_in
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.names_looked_up import is_looked_up
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

_PLAIN = {"Module", "object"}  # bases that call nothing by themselves


def _speaks(case: Case) -> bool:
    return is_idle(case.fault, case.owner, case.project)


def is_idle(fault: Fault, owner: Owner, project: Project) -> bool:
    """Whether a fault raises nothing, and lies in what a project that trains never uses."""
    if not isinstance(fault.kind, Pitfall) or fault.kind is Pitfall.EVALUATION_BUILDS_GRAPHS:
        return False
    outermost = Owner(owner.source, None if owner.cls is not None else owner.function, owner.cls)
    if not _could_be_used(outermost) or _is_used(outermost, project):
        return False
    return trains(project, owner.source)


def _could_be_used(outermost: Owner) -> bool:
    """Whether others must use a class or function for it to do anything: no test, nothing that
    trains by itself, no class that a framework calls, as it does the methods of a trainer."""
    node = outermost.cls or outermost.function
    assert node is not None
    if is_test(outermost.source) or trains_in(outermost.source, node):
        return False
    return not isinstance(node, ast.ClassDef) or set(last_names(node)) <= _PLAIN


def _is_used(outermost: Owner, project: Project) -> bool:
    """Whether something makes a class or calls a function, or may look for it by its name."""
    name = outermost_name(outermost)
    if is_registered(outermost) or project.offers(name):
        return True
    if Callers(project, made=outermost.cls is not None).sites(outermost) != []:
        return True
    told = any(_is_told(name, one) for one in project.speaking(name))
    return told or is_looked_up(outermost.source, project)


def _is_told(name: str, source: Source) -> bool:
    """Whether a text in a file is a name, or the way to what is called so."""
    texts = (one.value for one in source.each(ast.Constant) if isinstance(one.value, str))
    return any(text.rpartition(".")[2].rpartition(":")[2] == name for text in texts)


SIGNAL = Signal("used-nowhere", _speaks, Kind.USED_BY_OTHERS, about_owner=True)
