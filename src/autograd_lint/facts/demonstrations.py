"""Code at the end of a module that shows what it does, when the module is run by itself.

if __name__ == "__main__":
    print(Attention(8)(torch.randn(2, 4, 8)).shape)
"""

from __future__ import annotations

import ast
import re

from autograd_lint.facts.callers import Callers, Owner, covers, owner_at
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# Numbers that nobody has gathered, and what is done with those that somebody has.
_MADE_UP = re.compile(r"\btorch\.(?:rand|ones|zeros|full|arange|linspace|eye|normal)")
_GATHERED = re.compile(r"load|save|dataset|read|open\(", re.IGNORECASE)


def is_demonstration(source: Source, row: int, project: Project) -> bool:
    """Whether the code at a row runs on made-up numbers, only where a module that other files
    import is run by itself: it stands below `if __name__ == "__main__"`, or in a function that
    nothing else calls."""
    mains = _mains(source)
    if not mains:
        return False
    owner = owner_at(source, row)
    if owner is not None and (owner.cls is not None or not _is_called_by(mains, owner, project)):
        return False
    parts = [*mains, *([owner.function] if owner is not None and owner.function else [])]
    if owner is None and not any(covers(one, row) for one in mains):
        return False
    code = "\n".join(map(source.segment, parts))
    return bool(_MADE_UP.search(code)) and not _GATHERED.search(code) and _serves(source, project)


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
