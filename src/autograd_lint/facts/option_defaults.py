"""What options of a command line are by default, as the text of a file tells.

parser.add_argument("--dropout", default=0.0, type=float)

Source: https://docs.python.org/3/library/argparse.html
"""

from __future__ import annotations

import ast

from autograd_lint.project.query import query
from autograd_lint.project.source import Source


@query
def option_defaults(source: Source) -> dict[str, ast.Constant]:
    """The names of the options of a file that have one constant default, with that."""
    found: dict[str, list[ast.expr | None]] = {}
    for call in source.each(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
            found.setdefault(_name(call), []).append(_default(call))
    alone = {name: values[0] for name, values in found.items() if name and len(values) == 1}
    return {name: one for name, one in alone.items() if isinstance(one, ast.Constant)}


def _name(call: ast.Call) -> str:
    """The name of an option, as an attribute of what is parsed; empty where it is none."""
    flags = [one.value for one in call.args if isinstance(one, ast.Constant)]
    named = [one for one in flags if isinstance(one, str) and one.startswith("--")]
    renamed = any(one.arg == "dest" for one in call.keywords)
    return named[0].lstrip("-").replace("-", "_") if named and not renamed else ""


def _default(call: ast.Call) -> ast.expr | None:
    return next((one.value for one in call.keywords if one.arg == "default"), None)
