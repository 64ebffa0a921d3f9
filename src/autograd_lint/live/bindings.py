"""Where a name of the program was last bound, as its source shows it."""

import ast
from types import CodeType

from autograd_lint.live.sites import Site
from autograd_lint.live.source import place_in, tree_of
from autograd_lint.places import Place

_FILLING = frozenset({"add", "append", "appendleft", "extend", "insert"})
_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def binding_of(name: str | None, site: Site | None) -> Place | None:
    """The nearest assignment to `name` above a site in its scope; None where there is none."""
    if name is None or site is None:
        return None
    tree, row = tree_of(site.filename), site.place.row
    scope = _scope(tree, row) if tree else None
    bound = [node for node in _statements(scope) if node.lineno < row and _binds(node, name)]
    last = max(bound, key=lambda node: node.lineno, default=None)
    return None if last is None else place_in(site.filename, last)


def values_of(name: str, site: Site) -> list[ast.expr]:
    """What the assignments to a name above a site in its scope give it."""
    tree, row = tree_of(site.filename), site.place.row
    above = [node for node in _statements(_scope(tree, row) if tree else None) if node.lineno < row]
    return [node.value for node in above if isinstance(node, ast.Assign) and _binds(node, name)]


def binding_in(code: CodeType, name: str) -> Place | None:
    """The first assignment to `name` in a function; None where its source shows none."""
    tree = tree_of(code.co_filename)
    scope = _scope(tree, code.co_firstlineno) if tree else None
    bound = [node for node in _statements(scope) if _binds(node, name)]
    first = min(bound, key=lambda node: node.lineno, default=None)
    return None if first is None else place_in(code.co_filename, first)


def sources_of(name: str, site: Site) -> list[Place]:
    """The nearest assignment to `name` above a site in its scope, and what changes it since."""
    tree, row = tree_of(site.filename), site.place.row
    above = [node for node in _statements(_scope(tree, row) if tree else None) if node.lineno < row]
    bound = max((node.lineno for node in above if _binds(node, name)), default=row)
    found = [node for node in above if _binds(node, name) and node.lineno == bound]
    found += [node for node in above if _changes(node, name) and node.lineno > bound]
    return [place_in(site.filename, node) for node in found]


def calls_near(called: str, site: Site) -> list[Place]:
    """The statements in the scope of a site that call what is written `called`."""
    tree = tree_of(site.filename)
    statements = _statements(_scope(tree, site.place.row) if tree else None)
    found = [node for node in statements if _calls(node, called)]
    return [place_in(site.filename, node) for node in sorted(found, key=lambda node: node.lineno)]


def _calls(node: ast.stmt, called: str) -> bool:
    value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
    return isinstance(value, ast.Call) and ast.unparse(value.func) == called


def is_unconditional(entered: Site | CodeType | None) -> bool:
    """Whether a context manager is always entered where it stands: it decorates a function, or is
    written down in a `with` that is below no condition of its function."""
    if entered is None or isinstance(entered, CodeType):
        return entered is not None
    tree, row = tree_of(entered.filename), entered.place.row
    nodes = _statements(_scope(tree, row)) if tree else []
    around = [one for one in nodes if one.lineno <= row <= (one.end_lineno or one.lineno)]
    items = [item.context_expr for one in around if isinstance(one, ast.With) for item in one.items]
    is_plain = bool(items) and all(isinstance(one, ast.Call) and not one.args for one in items)
    return is_plain and not any(isinstance(one, (ast.If, ast.Match)) for one in around)


def entered_at(site: Site, manager: str) -> Place | None:
    """The innermost `with` around a site that calls `manager`; None where there is none."""
    tree, row = tree_of(site.filename), site.place.row
    found = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.With) and node.lineno <= row <= (node.end_lineno or node.lineno)
        if any(_is_call_of(item.context_expr, manager) for item in node.items)
    ]
    last = max(found, key=lambda node: node.lineno, default=None)
    return None if last is None else place_in(site.filename, last)


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name


def changes_of(name: str, filename: str) -> list[Place]:
    """The statements of a file that change what a name stands for, or a part of it."""
    tree = tree_of(filename)
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.stmt)) if tree else ()
    return [place_in(filename, node) for node in nodes if _changes(node, name)]


def freezings_in(filename: str) -> list[Place]:
    """The statements of a file that set the flag of a tensor to False, as no function is told."""
    tree = tree_of(filename)
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Assign)) if tree else ()
    return [place_in(filename, node) for node in nodes if _freezes(node)]


def _freezes(node: ast.Assign) -> bool:
    is_flag = any(
        isinstance(one, ast.Attribute) and one.attr == "requires_grad" for one in node.targets
    )
    return is_flag and isinstance(node.value, ast.Constant) and node.value.value is False


def fillings_of(name: str, filename: str) -> list[Place]:
    """The statements of a file that put something into an attribute of an object, or into a part of
    it, whatever the object is called there: `meter.values` may be filled by
    `self.values.append(loss)`."""
    attribute, tree = name.rpartition("."), tree_of(filename)
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Expr)) if tree else ()
    found = [node for node in nodes if attribute[1] and _fills(node.value, attribute[2])]
    return [place_in(filename, node) for node in found]


def _fills(node: ast.expr, attribute: str) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    inside = (one for one in ast.walk(node.func.value) if isinstance(one, ast.Attribute))
    return node.func.attr in _FILLING and any(one.attr == attribute for one in inside)


def _scope(tree: ast.Module, row: int) -> ast.AST:
    """The innermost function around a row, or the module."""
    functions = (
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= row <= (node.end_lineno or node.lineno)
    )
    return max(functions, key=lambda node: node.lineno, default=tree)


def _statements(scope: ast.AST | None) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    stack = list(ast.iter_child_nodes(scope)) if scope else []
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        if not isinstance(node, _Scope):
            stack.extend(ast.iter_child_nodes(node))
    return found


def _binds(node: ast.stmt, name: str) -> bool:
    targets = _targets(node)
    return any(ast.unparse(part) == name for target in targets for part in _parts(target))


def _changes(node: ast.stmt, name: str) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        return isinstance(called, ast.Attribute) and ast.unparse(called.value) == name
    targets = [part for target in _targets(node) for part in _parts(target)]
    inner = [one.value if isinstance(one, ast.Subscript) else one for one in targets]
    is_part = any(isinstance(one, ast.Subscript) for one in targets)
    is_update = is_part or isinstance(node, ast.AugAssign)
    return is_update and any(ast.unparse(one) == name for one in inner)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        return [node.target]
    return []


def _parts(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [part for item in target.elts for part in _parts(item)]
    return [target]
