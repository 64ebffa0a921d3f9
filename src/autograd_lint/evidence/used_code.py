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
from autograd_lint.facts.callers import (
    Callers,
    Owner,
    is_registered,
    outermost,
    outermost_name,
    owner_of,
)
from autograd_lint.facts.demonstrations import is_shown_at_end
from autograd_lint.facts.effects import effects, trains_in
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.facts.names_looked_up import is_looked_up
from autograd_lint.project.code import code_of
from autograd_lint.project.distribution import is_distributed
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

_PLAIN = {"Module", "object"}  # bases that use nothing which derives from them
_HOOKS = {"__init_subclass__", "__new__"}
_MOST = 30  # classes and functions that are asked for on behalf of one


@dataclass
class Uses:
    """Asks a project what it uses; `asked` are the classes and functions that were asked for."""

    project: Project
    asked: set[tuple[str, str]] = field(default_factory=set)

    def lead_to(self, owner: Owner) -> bool:
        """Whether something that runs leads to a class or function, or may do so unseen."""
        top = outermost(owner)
        if not self._needs_others(top) or self._is_named(top):
            return True
        self.asked.add((top.source.filename, outermost_name(top)))
        sites = Callers(self.project, made=top.cls is not None).sites(top)
        if sites is None or len(self.asked) > _MOST:
            return True
        return any(map(self._is_use, sites))

    def _needs_others(self, top: Owner) -> bool:
        """Whether others must use a class or function for it to do anything: no test, nothing that
        trains by itself, no class that is known to its bases, as those of a framework may be."""
        node, source = top.cls or top.function, top.source
        assert node is not None
        if is_test(source) or trains_in(source, node):
            return False
        return not isinstance(node, ast.ClassDef) or not self._is_known_to_bases(node, source)

    def _is_known_to_bases(self, cls: ast.ClassDef, source: Source, depth: int = 4) -> bool:
        """Whether a base of a class may use it unseen: none of torch does, and none of the project
        that trains nothing and says nothing of what derives from it."""
        if cls.keywords or not depth:
            return True
        return any(self._uses_derived(base, source, depth - 1) for base in cls.bases)

    def _uses_derived(self, base: ast.expr, source: Source, depth: int) -> bool:
        name = code_of(base).rpartition(".")[2]
        if name in _PLAIN or path_in(source, base).startswith("torch."):
            return False
        pairs = [
            (one, cls)
            for one in self.project.speaking(name)
            for cls in one.each(ast.ClassDef)
            if cls.name == name
        ]
        return not pairs or any(
            _HOOKS & {getattr(part, "name", "") for part in cls.body}
            or trains_in(one, cls)
            or self._is_known_to_bases(cls, one, depth)
            for one, cls in pairs
        )

    def _is_offered(self, name: str) -> bool:
        """Whether a package that others install hands a name on to all who import it."""
        return self.project.offers(name) and is_distributed(self.project)

    def _is_named(self, top: Owner) -> bool:
        """Whether somebody may look for it by its name, or gets it from a decorator."""
        name = outermost_name(top)
        if is_registered(top) or self._is_offered(name):
            return True
        told = any(_is_told(name, one) for one in self.project.speaking(name))
        return told or is_looked_up(top.source, self.project)

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


def steps_elsewhere(project: Project, besides: Source) -> bool:
    """Whether another file of a project, tests aside, runs backward and steps an optimizer, or has
    a framework do so."""
    speaking = (one for word in ("backward", "Trainer") for one in project.speaking(word))
    others = (one for one in speaking if one.filename != besides.filename and not is_test(one))
    return any(_steps(one) for one in others)


def _steps(source: Source) -> bool:
    told = effects(source.tree)
    return bool(told.roots and told.stepped) or told.delegates


def _is_told(name: str, source: Source) -> bool:
    """Whether a text in a file is a name, or the way to what is called so."""
    texts = (one.value for one in source.each(ast.Constant) if isinstance(one.value, str))
    return any(text.rpartition(".")[2].rpartition(":")[2] == name for text in texts)
