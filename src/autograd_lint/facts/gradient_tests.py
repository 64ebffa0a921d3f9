"""Functions and classes whose gradient with respect to inputs the tests of a project ask for.

Who checks it (`gradcheck`), or runs backward through what a function made of a tensor that requires
grad, says that the function is to be differentiated. Not only those that a test names count: what
they call is differentiated with them.

Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.facts.body import body
from autograd_lint.facts.callers import Callers, Owner, owner_of
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.result_uses import is_given
from autograd_lint.project.code import code_of, root_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project

_CHECKS = re.compile(r"grad(?:grad)?check\(")
_WALKS = re.compile(r"\bbackward\(|\bgrad\(")
_DEEP = 2  # functions from what is asked for to what a test names
_MOST = 12  # functions that are asked for on behalf of one


def is_differentiated_in_tests(owner: Owner, project: Project) -> bool:
    """Whether a test of the project differentiates a function or class with respect to inputs."""
    level, seen = [_whole(owner)], set[tuple[str, str]]()
    for _ in range(_DEEP):
        level = [one for one in level if (one.source.filename, one.path) not in seen]
        seen.update((one.source.filename, one.path) for one in level)
        if len(seen) > _MOST:
            return False
        if any(_asks_for_gradient(site) for one in level for site in _in_tests(one, project)):
            return True
        level = [caller for one in level for caller in _callers(one, project)]
    return False


def _whole(owner: Owner) -> Owner:
    """What others name: a method is called by way of an object of its class."""
    return owner if owner.cls is None else Owner(owner.source, None, owner.cls)


def _in_tests(owner: Owner, project: Project) -> Iterator[Mention]:
    return (site for site in project.mentions(owner.name) or () if is_test(site.source))


def _callers(owner: Owner, project: Project) -> Iterator[Owner]:
    """The functions and classes, tests aside, in which something is mentioned."""
    sites = Callers(project).sites(owner) or ()
    return (_whole(found) for site in sites if (found := owner_of(site)) is not None)


def _asks_for_gradient(site: Mention) -> bool:
    """Whether the test around a mention checks a gradient, or walks back to an input."""
    test = next((one for one in reversed(site.around) if isinstance(one, ast.FunctionDef)), None)
    if test is None:
        return False
    text = site.source.segment(test)
    walks = "requires_grad" in text and _WALKS.search(text) is not None
    return (walks and not _is_given_data(site, test)) or _CHECKS.search(text) is not None


def _is_given_data(site: Mention, test: ast.FunctionDef) -> bool:
    """Whether a test calls a function with nothing of what it has asked to require grad."""
    call, asked = site.around[-1], _asked(test)
    if not isinstance(call, ast.Call) or call.func is not site.node or not call.args:
        return False
    return bool(asked) and not is_given(call, asked, site.source, test)


def _asked(test: ast.FunctionDef) -> set[str]:
    """The names of a test that hold what it asks to require grad."""
    found = body(test)
    called = {root_of(one.node) for one in found.calls if one.method == "requires_grad_"}
    paths = (one.path.rpartition(".") for one in found.bindings)
    flagged = {owner.partition(".")[0] for owner, _, name in paths if name == "requires_grad"}
    made = {one.path for one in found.bindings if "requires_grad" in code_of(one.value)}
    return (called | flagged | made) - {""}
