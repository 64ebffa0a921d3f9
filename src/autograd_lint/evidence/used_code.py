"""Whether something that runs in a project leads to a class or function: code that nothing uses
does no harm there.

Nothing leads to what only stands where an option is on that nothing sets, nor to what is only shown
at the end of its module, on made-up numbers and without a backward.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.evidence.default_conditions import off_at
from autograd_lint.evidence.unset_options import are_never_on
from autograd_lint.facts.callers import Callers, Owner, is_registered, outermost_name, owner_of
from autograd_lint.facts.class_kinds import last_names
from autograd_lint.facts.demonstrations import is_shown_at_end
from autograd_lint.facts.effects import trains_in
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.names_looked_up import is_looked_up
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

_PLAIN = {"Module", "object"}  # bases that call nothing by themselves
_MOST = 30  # classes and functions that are asked for on behalf of one


@dataclass
class Uses:
    """Asks a project what it uses; `asked` are the classes and functions that were asked for."""

    project: Project
    asked: set[tuple[str, str]] = field(default_factory=set)

    def lead_to(self, owner: Owner) -> bool:
        """Whether something that runs leads to a class or function, or may do so unseen."""
        outermost = Owner(
            owner.source, None if owner.cls is not None else owner.function, owner.cls
        )
        if not _needs_others(outermost) or self._is_named(outermost):
            return True
        name = outermost_name(outermost)
        self.asked.add((owner.source.filename, name))
        sites = Callers(self.project, made=outermost.cls is not None).sites(outermost)
        if sites is None or len(self.asked) > _MOST:
            return True
        return any(map(self._is_use, sites))

    def _is_named(self, outermost: Owner) -> bool:
        """Whether somebody may look for it by its name, or gets it from a decorator."""
        name = outermost_name(outermost)
        if is_registered(outermost) or self.project.offers(name):
            return True
        told = any(_is_told(name, one) for one in self.project.speaking(name))
        return told or is_looked_up(outermost.source, self.project)

    def _is_use(self, site: Mention) -> bool:
        """Whether a mention is reached when the project runs."""
        if is_shown_at_end(site.source, site.node.lineno):
            return False
        if are_never_on(off_at(site), self.project):
            return False
        around = owner_of(site)
        if around is None:
            return True
        if (around.source.filename, outermost_name(around)) in self.asked:
            return False  # it is asked for already
        return self.lead_to(around)


def _needs_others(outermost: Owner) -> bool:
    """Whether others must use a class or function for it to do anything: no test, nothing that
    trains by itself, no class that a framework calls, as it does the methods of a trainer."""
    node = outermost.cls or outermost.function
    assert node is not None
    if is_test(outermost.source) or trains_in(outermost.source, node):
        return False
    return not isinstance(node, ast.ClassDef) or set(last_names(node)) <= _PLAIN


def _is_told(name: str, source: Source) -> bool:
    """Whether a text in a file is a name, or the way to what is called so."""
    texts = (one.value for one in source.each(ast.Constant) if isinstance(one.value, str))
    return any(text.rpartition(".")[2].rpartition(":")[2] == name for text in texts)
