"""The counterfactual: the same program with one write made harmless."""

import ast

_BLOCKS = ("body", "orelse", "finalbody")


def without_write(tree: ast.Module, row: int) -> bool:
    """Let the statement at `row` write to copies; an optimizer's step is left out.

    The tree is changed in place, rows stay as they are. False where no such statement was found.
    """
    found = _find(tree, row)
    if found is None:
        return False
    block, index = found
    statement = block[index]
    if _is_step(statement):
        block[index] = ast.copy_location(ast.Pass(), statement)
        return True
    names = list(dict.fromkeys(_written(statement)))
    clones = [_clone(name, statement) for name in names]
    block[index:index] = clones
    ast.fix_missing_locations(tree)
    return bool(clones)


def _find(node: ast.AST, row: int) -> tuple[list[ast.stmt], int] | None:
    """The innermost simple statement at `row`: its block and its place in it."""
    for name in _BLOCKS:
        block = getattr(node, name, None)
        for index, child in enumerate(block if isinstance(block, list) else ()):
            if child.lineno <= row <= (child.end_lineno or child.lineno):
                return _find(child, row) or _simple(block, index)
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        inner = _find(part, row)
        if inner is not None:
            return inner
    return None


def _simple(block: list[ast.stmt] | None, index: int) -> tuple[list[ast.stmt], int] | None:
    return None if block is None else (block, index)


def _is_step(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = statement.value.func
    return isinstance(called, ast.Attribute) and called.attr == "step"


def _written(statement: ast.stmt) -> list[str]:
    """The names that a statement may write through."""
    if isinstance(statement, ast.AugAssign):
        return _plain(statement.target)
    if isinstance(statement, ast.Assign):
        names = [name for goal in statement.targets for name in _item_base(goal)]
        if names:
            return names
    names = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            names += _of_call(node)
    return names


def _of_call(call: ast.Call) -> list[str]:
    names = []
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if isinstance(call.func, ast.Attribute) and called.endswith("_"):
        names += _plain(call.func.value)
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        names += _plain(argument)
    return names


def _item_base(node: ast.expr) -> list[str]:
    return _plain(node) if isinstance(node, ast.Subscript) else []


def _plain(node: ast.expr) -> list[str]:
    """The variable behind an expression: `x` for `x[0]`, `x.data`, `x.detach()`."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr in ("data", "T", "mT"):
            node = node.value
        else:
            break
    return [ast.unparse(node)] if _assignable(node) else []


def _assignable(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _clone(name: str, at: ast.stmt) -> ast.stmt:
    """`name = name.clone()`, for tensors only: other values stay as they are."""
    text = f"if hasattr({name}, 'untyped_storage'): {name} = {name}.clone()"
    statement = ast.parse(text).body[0]
    for node in ast.walk(statement):
        if "lineno" in node._attributes:
            ast.copy_location(node, at)
    return statement
