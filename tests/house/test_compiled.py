"""What the build compiles is code that mypyc compiles to the same behaviour.

Each of these tests stands for a way in which a compiled module crashed or went on for ever though
mypyc took its source: see the section on compiled wheels of `docs/performance.md`.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

N = TypeVar("N", bound=ast.AST)
ROOT = Path(__file__).parents[2]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
HOOK = BUILD["build"]["targets"]["wheel"]["hooks"]["mypyc"]
SOURCES = {path: path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.py")}


def _matching(patterns: list[str]) -> set[Path]:
    return {path for path, name in SOURCES.items() if name.startswith(tuple(patterns))}


COMPILED = sorted(_matching(HOOK["include"]) - _matching(HOOK["exclude"]))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
_MEMBERSHIP = (ast.In, ast.NotIn)


def _nodes(path: Path, kind: type[N]) -> Iterator[N]:
    return (node for node in ast.walk(TREES[path]) if isinstance(node, kind))


def _for_types_alone(tree: ast.Module) -> set[str]:
    """The names that a file imports for type checkers alone."""
    blocks = (node for node in tree.body if isinstance(node, ast.If))
    imports = (part for block in blocks for part in block.body if isinstance(part, ast.ImportFrom))
    return {alias.asname or alias.name for one in imports for alias in one.names}


def _fields(path: Path) -> Iterator[ast.AnnAssign]:
    """The fields of the dataclasses of a file."""
    for cls in _nodes(path, ast.ClassDef):
        if any("dataclass" in ast.unparse(one) for one in cls.decorator_list):
            yield from (one for one in cls.body if isinstance(one, ast.AnnAssign))


def _classes(paths: list[Path]) -> set[str]:
    trees = (TREES[path] for path in paths)
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}


@pytest.mark.parametrize("pattern", [*HOOK["include"], *HOOK["exclude"]])
def test_every_pattern_names_a_file(pattern: str) -> None:
    assert _matching([pattern])


def test_the_class_of_a_field_is_there_when_its_dataclass_is_made() -> None:
    for path in COMPILED:
        named = {one.annotation.id for one in _fields(path) if isinstance(one.annotation, ast.Name)}
        assert not named & {*_for_types_alone(TREES[path]), "object"}, path


def test_no_dataclass_derives_from_a_protocol() -> None:
    """The `__dict__` that it gets from one is not to be put back when the dataclass is made."""
    classes = [
        one for tree in TREES.values() for one in ast.walk(tree) if isinstance(one, ast.ClassDef)
    ]
    protocols = {one.name for one in classes if "Protocol" in map(ast.unparse, one.bases)}
    for path in COMPILED:
        made = (one for one in _nodes(path, ast.ClassDef) if one.decorator_list)
        assert not protocols & {ast.unparse(base) for one in made for base in one.bases}, path


def test_nothing_is_a_cached_property() -> None:
    for path in COMPILED:
        assert "cached_property" not in {node.id for node in _nodes(path, ast.Name)}, path


def test_no_generator_expression_is_endless() -> None:
    """A generator expression that is not consumed at once becomes a list."""
    for path in COMPILED:
        loops = (loop.iter for loop in _nodes(path, ast.comprehension))
        sources = {ast.unparse(one.func) for one in loops if isinstance(one, ast.Call)}
        assert not {"count", "repeat", "cycle"} & sources, path


def test_no_conditional_expression_has_an_integer_of_a_subclass() -> None:
    """Beside a plain one it becomes a plain one: the type of both is `int`."""
    classes = (node for path in SOURCES for node in _nodes(path, ast.ClassDef))
    integers = {one.name for one in classes if "int" in map(ast.unparse, one.bases)}
    assert integers
    for path in COMPILED:
        for chosen in _nodes(path, ast.IfExp):
            sides = (one for one in (chosen.body, chosen.orelse) if isinstance(one, ast.Call))
            assert not integers & {ast.unparse(one.func) for one in sides}, path


def test_nothing_is_annotated_as_a_float_alone() -> None:
    """A whole number becomes one when it is passed, and one of 400 digits raises."""
    for path in COMPILED:
        united = {id(side) for one in _nodes(path, ast.BinOp) for side in (one.left, one.right)}
        annotations = [
            *(one.annotation for kind in (ast.AnnAssign, ast.arg) for one in _nodes(path, kind)),
            *(one.returns for one in _nodes(path, ast.FunctionDef)),
        ]
        parts = (part for one in annotations if one is not None for part in ast.walk(one))
        names = (part for part in parts if isinstance(part, ast.Name) and part.id == "float")
        assert not [part.lineno for part in names if id(part) not in united], path


def test_no_operator_of_sets_is_given_keys() -> None:
    """What a frozen set and keys have in common is a plain set, which is taken for a frozen one."""
    for path in COMPILED:
        operands = (node.right for node in _nodes(path, ast.BinOp))
        calls = [ast.unparse(one.func) for one in operands if isinstance(one, ast.Call)]
        assert not [one for one in calls if one.endswith(".keys")], path


def test_names_that_remember_who_asks_are_no_dict_to_compiled_code() -> None:
    """`get` and `in` of a `dict` go past what a class that derives from it says."""
    (scope,) = (path for path in COMPILED if SOURCES[path].endswith("vm/scope.py"))
    (names,) = (one for one in _fields(scope) if ast.unparse(one.target) == "names")
    assert ast.unparse(names.annotation).startswith("MutableMapping")


def test_no_names_change_places() -> None:
    """Each is still taken for what a condition has shown of it before."""
    for path in COMPILED:
        for node in _nodes(path, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                names = [ast.unparse(one) for one in target.elts]
                values = [ast.unparse(one) for one in node.value.elts]
                assert names == values or sorted(names) != sorted(values), (path, node.lineno)


def test_no_membership_test_unpacks() -> None:
    for path in COMPILED:
        tests = (one for one in _nodes(path, ast.Compare) if isinstance(one.ops[0], _MEMBERSHIP))
        parts = (part for one in tests for part in getattr(one.comparators[0], "elts", ()))
        assert not any(isinstance(part, ast.Starred) for part in parts), path


def test_no_class_outside_derives_from_one_that_is_compiled() -> None:
    others = [path for path in SOURCES if path not in COMPILED]
    own = _classes(COMPILED) - _classes(others)
    for path in others:
        for cls in _nodes(path, ast.ClassDef):
            assert not own & {ast.unparse(base) for base in cls.bases}, (path, cls.name)
