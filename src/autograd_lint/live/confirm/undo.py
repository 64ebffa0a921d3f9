"""The counterfactual: the same program with one write made harmless."""

from __future__ import annotations

import ast
from enum import Enum

from autograd_lint.project.code import given_to

_VALUE = "_autograd_lint_value"


class Undo(Enum):
    """How a write is undone.

    `COPY`: it writes to a copy (an optimizer's step is left out). `OMIT`: its statement is left
    out. `DROP`: the same, also where it sets attributes. `KEEP`: the row of the operator that saved
    is told to keep copies, which no write reaches.
    """

    COPY = "copy"
    OMIT = "omit"
    DROP = "drop"
    KEEP = "keep"


def without_write(tree: ast.Module, row: int, how: Undo) -> bool:
    """Undo the write at `row` of `tree`, which is changed in place; rows stay as they are.

    False where there is no statement that can be changed so.
    """
    found = _find(tree, row)
    if found is None:
        return False
    block, index = found
    statement = block[index]
    if how in (Undo.OMIT, Undo.DROP) or _is_step(statement):
        if not (_is_omittable(statement) or (how is Undo.DROP and _sets_attributes(statement))):
            return False
        block[index] = ast.copy_location(ast.Pass(), statement)
        return True
    lines = _with_copies(statement)
    if lines is None:
        return False
    block[index : index + 1] = [_placed(line, statement) for line in lines]
    ast.fix_missing_locations(tree)
    return True


def _find(node: ast.AST, row: int) -> tuple[list[ast.stmt], int] | None:
    """The innermost statement at `row`: its block and its place in it."""
    for name in ("body", "orelse", "finalbody"):
        value = getattr(node, name, None)
        block: list[ast.stmt] = value if isinstance(value, list) else []
        there = [
            index
            for index, child in enumerate(block)
            if child.lineno <= row <= (child.end_lineno or child.lineno)
        ]
        if there:
            # Of several statements in a row, the write is none that only gives names.
            index = next((one for one in there if not _only_names(block[one])), there[0])
            return _find(block[index], row) or (block, index)
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        inner = _find(part, row)
        if inner is not None:
            return inner
    return None


def _only_names(statement: ast.stmt) -> bool:
    """Whether a statement only gives a name to what has one."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return False
    return all(isinstance(goal, ast.Name) for goal in statement.targets)


def _is_step(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = statement.value.func
    return isinstance(called, ast.Attribute) and called.attr == "step"


def _is_omittable(statement: ast.stmt) -> bool:
    """Whether nothing later needs a name that the statement binds."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(goal, ast.Subscript) for goal in statement.targets)
    return isinstance(statement, (ast.Expr, ast.AugAssign, ast.Delete))


def _sets_attributes(statement: ast.stmt) -> bool:
    goals = statement.targets if isinstance(statement, ast.Assign) else []
    return bool(goals) and all(isinstance(goal, ast.Attribute) for goal in goals)


def _with_copies(statement: ast.stmt) -> list[ast.stmt] | None:
    """The statements that do the same to copies; values are computed before anything is copied."""
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Subscript):
        return _parsed(f"{_text(statement.target)} = {_text(statement.target)} + 0", statement)
    if isinstance(statement, (ast.AugAssign, ast.Assign)):
        goals = [statement.target] if isinstance(statement, ast.AugAssign) else statement.targets
        items = [goal for goal in goals if isinstance(goal, ast.Subscript)]
        if items:
            kept = _parse(f"{_VALUE} = {_text(statement.value)}")
            statement.value = ast.Name(_VALUE, ast.Load())
            return [*kept, *(line for item in items for line in _copy(item)), statement]
    copies = [line for node in _handed_over(statement) for line in _copy(node)]
    return [*copies, statement] if copies else None


def _parsed(text: str, statement: ast.AugAssign) -> list[ast.stmt]:
    (line,) = _parse(text)
    assert isinstance(line, ast.Assign) and isinstance(line.value, ast.BinOp)
    line.value.op, line.value.right = statement.op, statement.value
    return [line]


def _handed_over(statement: ast.stmt) -> list[ast.expr]:
    """What a statement's calls are handed: receivers of methods and arguments."""
    found: list[ast.expr] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
                found.append(node.func.value)
            found += given_to(node)
    return found


def _copy(node: ast.expr) -> list[ast.stmt]:
    """Statements that let the variable behind an expression be a copy."""
    item: ast.expr | None = None
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript):
            item, node = node, node.value
        elif isinstance(node, ast.Attribute) and node.attr not in ("data", "T", "mT"):
            break
        elif isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return []
    base = _text(node)
    text = f"if hasattr({base}, 'untyped_storage'): {base} = {base}.clone()\n"
    if item is not None:
        one = _text(item)
        text += f"elif hasattr({one}, 'untyped_storage'): {one} = {one}.clone()\n"
    text += f"elif type({base}) is list: {base}[:] = [v.clone() if hasattr(v, 'untyped_storage') "
    text += f"else v for v in {base}]\n"
    return _parse(text)


def _parse(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _placed(line: ast.stmt, at: ast.stmt) -> ast.stmt:
    """A new statement with the position of the one it stands for or beside."""
    own = set(ast.walk(at))
    for node in ast.walk(line):
        if "lineno" in node._attributes and node not in own:
            ast.copy_location(node, at)
    return line
