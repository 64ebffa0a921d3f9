"""Code that is there to show what something does: at the end of a module, when that is run by
itself, and in the cells of notebooks.

if __name__ == "__main__":
    print(Attention(8)(torch.randn(2, 4, 8)).shape)
"""

from __future__ import annotations

import ast
import re

from autograd_lint.facts.callers import Callers, Owner, covers, owner_at
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.effects import trains_in
from autograd_lint.facts.files_of_tests import is_test_path
from autograd_lint.project.code import code_of
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# Numbers that nobody has gathered, and what is done with those that somebody has.
_MADE_UP = re.compile(r"\btorch\.(?:rand|ones|zeros|full|arange|linspace|eye|normal|FloatTensor\()")
_GATHERED = re.compile(r"load|save|dataset|read|open\(", re.IGNORECASE)
_NAMING = ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.ClassDef | Definition


def is_demonstration(source: Source, row: int, project: Project, *, whole: bool = False) -> bool:
    """Whether the code at a row runs on made-up numbers, only where a module that other files
    import is run by itself: it stands below `if __name__ == "__main__"`, or in a function that
    nothing else calls; `whole` says that it is a run of that module which has come there. So does
    the statements of a script that is a test by its name."""
    mains = _mains(source)
    owner = owner_at(source, row)
    if not mains and owner is None and is_test_path(source.filename):
        return _is_made_up(source.text)
    begun = whole and _only_defines(source)
    if not mains or not (begun or _is_reached_from(mains, owner, row, project)):
        return False
    parts = [*mains, *([owner.function] if owner is not None and not begun else [])]
    code = "\n".join(source.segment(one) for one in parts if one is not None)
    return _is_made_up(code) and _serves(source, project)


def is_shown_at_end(source: Source, row: int) -> bool:
    """Whether a row stands below `if __name__ == "__main__"` where that runs on made-up numbers,
    and no backward."""
    mains = _mains(source)
    if not any(covers(one, row) for one in mains):
        return False
    shown = "\n".join(map(source.segment, mains))
    return _is_made_up(shown) and not any(trains_in(source, one) for one in mains)


def is_shown_at_once(source: Source, row: int) -> bool:
    """Whether a cell of a notebook prints or displays something right where a row stands, or in the
    statement behind it: it is there to be looked at.

    y.add(x)      # does not change y
    print(y)
    """
    if not source.shown:
        return False
    statements = source.tree.body
    at = next((i for i, one in enumerate(statements) if covers(one, row)), len(statements))
    return any(_shows(one, source.shown) for one in statements[at : at + 2])


def _shows(node: ast.stmt, ends: frozenset[int]) -> bool:
    """Whether a statement prints, or is an expression at the end of a cell, that of nothing but a
    value that is there already."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Call):
        return code_of(node.value.func) == "print"
    return node.end_lineno in ends and _is_there(node.value)


def _is_there(node: ast.expr) -> bool:
    """Whether an expression computes nothing: a name, an attribute, an element, or several."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_there, node.elts))
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name)


def _is_made_up(code: str) -> bool:
    """Whether some code runs on made-up numbers, and gathers no others."""
    return bool(_MADE_UP.search(code)) and not _GATHERED.search(code)


def _is_reached_from(
    mains: tuple[ast.If, ...], owner: Owner | None, row: int, project: Project
) -> bool:
    """Whether a row stands in such statements, or in a function that nothing else calls."""
    if owner is None:
        return any(covers(one, row) for one in mains)
    return owner.cls is None and _is_called_by(mains, owner, project)


@query
def _only_defines(source: Source) -> bool:
    """Whether nothing of a file does anything but what stands in such statements."""
    others = (node for node in source.tree.body if node not in _mains(source))
    return all(isinstance(node, _NAMING) or _is_text(node) for node in others)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@query
def _mains(source: Source) -> tuple[ast.If, ...]:
    """The statements `if __name__ == "__main__"` of a file."""
    branches = (node for node in source.tree.body if isinstance(node, ast.If))
    return tuple(one for one in branches if "__name__" in source.segment(one.test))


def _is_called_by(mains: tuple[ast.If, ...], owner: Owner, project: Project) -> bool:
    """Whether nothing but such statements of its own file speaks of a function."""
    sites = Callers(project).sites(owner)
    return bool(sites) and all(
        site.source.filename == owner.source.filename
        and any(covers(one, site.node.lineno) for one in mains)
        for site in sites or ()
    )


def _serves(source: Source, project: Project) -> bool:
    """Whether another file uses what a file defines."""
    classes = (node for node in source.tree.body if isinstance(node, ast.ClassDef))
    owners = [Owner(source, None, one) for one in classes]
    sites = (Callers(project, made=True).sites(one) or () for one in owners)
    return any(site.source.filename != source.filename for found in sites for site in found)
