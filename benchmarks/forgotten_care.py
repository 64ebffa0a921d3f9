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
    exchanged,
    has_own_rows,
    indent,
    instead,
    left_out,
    method_calls,
    neighbours,
    number_not_taken,
    with_grad_mode,
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
    if ".eval()" in "".join(rows):
        for edit, body in with_grad_mode(tree, rows):
            if MODEL.search(body) and not WRITES_PARAMETER.search(body):
                yield edit


def not_detached(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """What was detached for a loss or a network is not."""
    for edit in _without(tree, rows, ".detach()"):
        if not re.search(r"\.(cpu|numpy|item|tolist)\(", rows[edit.first - 1]):
            yield edit


def not_cloned(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A tensor is used where there was a copy of it."""
    yield from _without(tree, rows, ".clone()")


def _without_keyword(tree: ast.Module, rows: Rows, name: str) -> Iterator[Edit]:
    """Calls that are given `name=True`, without it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == name and node.lineno == node.end_lineno:
            row = rows[node.lineno - 1]
            told = re.sub(rf"\b{name}\s*=\s*True\s*,?", "", row)
            if told != row:
                yield Edit(node.lineno, node.lineno, [told])


def graph_not_kept(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A backward frees the graph that another one needs."""
    yield from _without_keyword(tree, rows, "retain_graph")


def graph_not_made(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A gradient that is differentiated has no graph."""
    yield from _without_keyword(tree, rows, "create_graph")


def input_without_grad(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A gradient is asked for an input that does not require grad."""
    if "autograd.grad" not in "".join(rows) and ".grad" not in "".join(rows):
        return
    for row, text in enumerate(rows, 1):
        told = re.sub(r"\.requires_grad_\((True|requires_grad=True)?\)", "", text)
        told = re.sub(r",\s*requires_grad=True(?=\))", "", told)
        told = re.sub(r"(\w[\w.]*)\.requires_grad = True", r"\1 = \1", told)
        if told != text and "param" not in text:
            yield Edit(row, row, [told])


def written_on_tensor(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """What is written in place through `.data` is written itself."""
    for node, _, function in method_calls(tree):
        held = function.value
        through = isinstance(held, ast.Attribute) and held.attr == "data"
        if through and re.fullmatch(r"[a-z]\w*_", function.attr) and node.lineno == node.end_lineno:
            yield instead(node, [rows[node.lineno - 1].replace(".data.", ".", 1)])


def clipped_late(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Gradients are clipped behind the step."""
    for one, other in neighbours(tree):
        calls = isinstance(one, ast.Expr) and isinstance(other, ast.Expr)
        clips = calls and re.match(r"[\w.]*clip_grad\w*\(", ast.unparse(one))
        if clips and re.search(r"\.step\(", ast.unparse(other)) and has_own_rows(rows, one):
            yield exchanged(one, other, rows)


def targets_with_graph(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """Targets are computed with grad mode on, in a program that trains."""
    text = "".join(rows)
    if ".backward(" in text and ".eval()" not in text:
        for edit, body in with_grad_mode(tree, rows):
            if not WRITES_PARAMETER.search(body):
                yield edit


def not_divided(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """The loss of accumulated batches is not divided by their number."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)) and node.lineno == node.end_lineno:
            row = rows[node.lineno - 1]
            if re.match(r"\s*(\w*loss)\s*(= \1\s*/|/=)\s*\S*accum\S*$", row.rstrip()):
                yield left_out(node, rows)


def schedule_left_out(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """A learning-rate scheduler never steps."""
    for node, _, function in method_calls(tree):
        if function.attr == "step" and re.search(r"(?i)sched", ast.unparse(function.value)):
            yield left_out(node, rows)


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
                yield left_out(node, rows)


def stays_in_training(tree: ast.Module, rows: Rows) -> Iterator[Edit]:
    """`eval()` is forgotten before an evaluation."""
    for node, call, function in method_calls(tree):
        if function.attr == "eval" and not call.args and not call.keywords:
            yield left_out(node, rows)


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
        if isinstance(node, ast.For) and "arameters()" in ast.unparse(node.iter):
            body = ast.unparse(node.body[0])
            frozen = re.fullmatch(r"\w+\.requires_grad(_\(False\)| = False)", body)
            if frozen and len(node.body) == 1 and has_own_rows(rows, node):
                yield left_out(node, rows)
    for statement, _, function in method_calls(tree):
        told = ast.unparse(statement)
        if function.attr == "requires_grad_" and told.endswith("(False)"):
            yield left_out(statement, rows)


FORGOTTEN: list[Mistake] = [
    evaluated_with_grad,
    not_detached,
    not_cloned,
    graph_not_kept,
    graph_not_made,
    number_not_taken,
    input_without_grad,
    written_on_tensor,
    clipped_late,
    targets_with_graph,
    not_divided,
    schedule_left_out,
    state_not_copied,
    stays_in_evaluation,
    stays_in_training,
    cleared_outside,
    part_left_out,
    not_frozen,
]
