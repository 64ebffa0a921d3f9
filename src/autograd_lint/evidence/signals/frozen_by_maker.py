"""What must have a graph is computed by an object that each module which makes one freezes.

class Tokenizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantizer = Quantizer()        # told: a method of `Quantizer` writes what it has saved
        for parameter in self.parameters():
            parameter.requires_grad = False
"""

from __future__ import annotations

import ast
import re

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.signals.base import RECORDED, Case, Signal, name_of
from autograd_lint.facts.body import method_of
from autograd_lint.facts.callers import Callers, Owner
from autograd_lint.project.code import code_of
from autograd_lint.project.mentions import Mention
from autograd_lint.project.query import query

_FREEZES = re.compile(r"requires_grad\s*=\s*False|requires_grad_\(False\)")


def _speaks(case: Case) -> bool:
    cls = case.owner.cls
    if cls is None or case.fault.kind not in {*RECORDED, Pitfall.FORWARD_CUT}:
        return False
    sites = Callers(case.project, made=True).sites(Owner(case.source, None, cls))
    made = [site for site in sites or () if not (_is_annotation(site) or _is_looked_at(site))]
    return bool(made) and all(map(_is_frozen, made))


def _is_annotation(site: Mention) -> bool:
    """Whether a class is only said there to be the one of a name, which makes no object."""
    inner = [*site.around[1:], site.node]
    return any(_annotates(*pair) for pair in zip(site.around, inner, strict=True))


def _annotates(node: ast.AST, part: ast.AST) -> bool:
    said = node.annotation if isinstance(node, (ast.AnnAssign, ast.arg)) else None
    return part is said


def _is_looked_at(site: Mention) -> bool:
    """Whether an expression only names a member of a class, and does not call it."""
    *_, above, parent = None, None, *site.around
    is_called = isinstance(above, ast.Call) and above.func is parent
    return isinstance(parent, ast.Attribute) and not is_called


def _is_frozen(made: Mention) -> bool:
    """Whether an object is made in the constructor of a class that freezes all its parameters."""
    classes = [node for node in made.around if isinstance(node, ast.ClassDef)]
    making = method_of(classes[-1], "__init__") if classes else None
    return making is not None and making in made.around and _freezes_itself(making)


@query
def _freezes_itself(making: ast.AST) -> bool:
    """Whether a constructor goes through all parameters of its object and freezes them."""
    loops = [one for one in ast.walk(making) if isinstance(one, (ast.For, ast.ListComp))]
    return any(_goes_through_own(one) and _FREEZES.search(code_of(one)) for one in loops)


def _goes_through_own(loop: ast.For | ast.ListComp) -> bool:
    walked = loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter
    return code_of(walked) == "self.parameters()"


SIGNAL = Signal("frozen-by-maker", _speaks, Kind.TRAINED_THOUGH_FROZEN, about=name_of)
