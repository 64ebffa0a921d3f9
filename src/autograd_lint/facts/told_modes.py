"""Of which objects a script changes the mode: what it leaves in training mode is never evaluated.

actor, critic = Actor(), Critic()
actor.eval()        # and nothing calls `critic.eval()`
"""

from __future__ import annotations

import ast

from autograd_lint.project.code import code_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_MODES = {"eval", "train"}


def is_left_in_training(source: Source, cls: ast.ClassDef) -> bool:
    """Whether the script of a file makes objects of a class, and changes the modes of others alone,
    which it names."""
    made = _made_in_script(source)
    own = {name for name, maker in made.items() if maker == cls.name}
    told = _told_modes(source)
    return bool(own and told) and told <= made.keys() - own


@query
def _told_modes(source: Source) -> frozenset[str]:
    """What a file puts into a mode, as it names it."""
    calls = [one.func for one in source.each(ast.Call) if isinstance(one.func, ast.Attribute)]
    return frozenset(code_of(one.value) for one in calls if one.attr in _MODES)


@query
def _made_in_script(source: Source) -> dict[str, str]:
    """The names that the body of a file gives to what calls return, and what is called."""
    made = (one for one in source.tree.body if isinstance(one, ast.Assign))
    return {
        code_of(target): code_of(one.value.func)
        for one in made
        if isinstance(one.value, ast.Call)
        for target in one.targets
    }
