"""Care that programs take, and what they are without it: further mistakes to put into programs.

A fix often adds a `detach()`, a `no_grad`, a copy, a network in the list of an optimizer, a mode,
or moves the clearing of gradients; here it is taken away where a program has it. Not every one does
harm: what has no graph needs no `detach()`.
"""

import ast
import re
from collections.abc import Iterator

from benchmarks.mistaken_edits import (
    WRITES_PARAMETER,
    Edit,
    Mistake,
    Rows,
    has_own_rows,
    indent,
    instead,
    method_calls,
)

MODEL = re.compile(r"(?i)(model|net|encoder|decoder|critic|actor|policy|generator|classifier)\w*\(")
OPTIMIZERS = re.compile(r"(?:\w+\.)*(?:Adam\w*|SGD|RMSprop|Adagrad|Adadelta)$")


def _without(tree: ast.Module, rows: Rows, care: str) -> Iterator[Edit]:
    """Statements of one row that have some text once, without it."""
    for node in ast.walk(tree):
        simple = isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return))
        if simple and isinstance(node, ast.stmt) and node.lineno == node.end_lineno:
            row = rows[node.lineno - 1]
            if row.count(care) == 1:
                yield instead(node, [row.replace(care, "")])


def evaluated_with_grad(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """An evaluation runs with grad mode on."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.With) or not has_own_rows(rows, node) or len(node.items) > 1:
            continue
        mode = ast.unparse(node.items[0].context_expr)
        body = "".join(rows[node.lineno : node.end_lineno])
        runs = MODEL.search(body) and not WRITES_PARAMETER.search(body)
        if mode == "torch.no_grad()" and runs and ".eval()" in "".join(rows):
            yield Edit(node.lineno, node.lineno, [f"{indent(rows, node)}if True:\n"])


def not_detached(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """What was detached for a loss or a network is not."""
    for edit in _without(tree, rows, ".detach()"):
        if not re.search(r"\.(cpu|numpy|item|tolist)\(", rows[edit.first - 1]):
            yield edit


def not_cloned(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A tensor is used where there was a copy of it."""
    yield from _without(tree, rows, ".clone()")


def graph_not_kept(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A backward frees the graph that another one needs."""
    yield from _without(tree, rows, "retain_graph=True")


def graph_not_made(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A gradient that is differentiated has no graph."""
    yield from _without(tree, rows, ", create_graph=True")


def state_not_copied(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """The best state is the one that goes on training."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.lineno == node.end_lineno:
            call = node.value
            copies = isinstance(call, ast.Call) and ast.unparse(call.func).endswith("deepcopy")
            if (
                copies
                and isinstance(call, ast.Call)
                and len(call.args) == 1
                and has_own_rows(rows, node)
            ):
                told = f"{ast.unparse(node.targets[0])} = {ast.unparse(call.args[0])}\n"
                yield instead(node, [indent(rows, node) + told])


def stays_in_evaluation(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`train()` is forgotten behind an evaluation."""
    if ".eval()" in "".join(rows):
        for node, call, function in method_calls(tree):
            if function.attr == "train" and not call.args and not call.keywords:
                yield instead(node, [f"{indent(rows, node)}pass\n"])


def stays_in_training(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`eval()` is forgotten before an evaluation."""
    for node, call, function in method_calls(tree):
        if function.attr == "eval" and not call.args and not call.keywords:
            yield instead(node, [f"{indent(rows, node)}pass\n"])


def cleared_outside(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Gradients are cleared before the loop over batches, and not in it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.For) or not has_own_rows(rows, node):
            continue
        for one, _, function in method_calls(ast.Module(node.body, [])):
            direct = one in node.body and one.lineno == one.end_lineno
            if function.attr == "zero_grad" and direct and node.end_lineno:
                moved = indent(rows, node) + rows[one.lineno - 1].lstrip()
                between = rows[node.lineno - 1 : one.lineno - 1]
                rest = [f"{indent(rows, one)}pass\n"]
                yield Edit(node.lineno, one.lineno, [moved, *between, *rest])


def part_left_out(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """An optimizer of several networks is given one of them less."""
    for node in ast.walk(tree):
        call = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(call, ast.Call) or not OPTIMIZERS.match(ast.unparse(call.func)):
            continue
        given = call.args[0] if call.args else None
        several = isinstance(given, ast.BinOp) and isinstance(given.op, ast.Add)
        if several and isinstance(given, ast.BinOp) and isinstance(node, ast.Assign):
            call.args[0] = given.left
            told = f"{ast.unparse(node)}\n"
            call.args[0] = given
            if has_own_rows(rows, node):
                yield instead(node, [indent(rows, node) + told])


def not_frozen(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Parameters that were frozen are not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and ".parameters()" in ast.unparse(node.iter):
            body = ast.unparse(node.body[0])
            frozen = re.fullmatch(r"\w+\.requires_grad(_\(False\)| = False)", body)
            if frozen and len(node.body) == 1 and has_own_rows(rows, node):
                yield instead(node, [f"{indent(rows, node)}pass\n"])


FORGOTTEN: list[Mistake] = [
    evaluated_with_grad,
    not_detached,
    not_cloned,
    graph_not_kept,
    graph_not_made,
    state_not_copied,
    stays_in_evaluation,
    stays_in_training,
    cleared_outside,
    part_left_out,
    not_frozen,
]
