"""The dense text of the operator table: forms to strings and back.

A form is six fields between semicolons: tests, saves, flags, modifies, differentiable, outputs.
`1:number&inplace:true;0<1 out0?;f;0;0 1;+sb@0v` reads: when argument 1 is a number and `inplace` is
True, saves argument 0 where 1 requires grad, sometimes its result, frees, modifies 0, is
differentiable in 0 and 1, and has one differentiable result of the same dtype, broadcast shape, a
view of 0. Behind the differentiable arguments stands what is the matter with gradients: `1!`.
"""

from autograd_lint.operators.facts import Alias, AliasKind, Form, Gap, GapKind, Output, Save, Test

_DTYPES = {
    "s": "same",
    "f": "float",
    "i": "int",
    "b": "bool",
    "c": "complex",
    "r": "real",
    "u": "unknown",
}
_SHAPES = {"b": "broadcast", "0": "scalar", "o": "other"}
_ALIASES = {
    "s": AliasKind.SELF,
    "v": AliasKind.VIEW,
    "m": AliasKind.MULTI_VIEW,
    "d": AliasKind.DETACHED,
    "u": AliasKind.UNVERSIONED,
}
_GAPS = {
    "#": GapKind.FORBIDDEN,
    "!": GapKind.REFUSED,
    "~": GapKind.NOTHING,
    "^": GapKind.ONCE,
}
_UNVERSIONED = "~"
_DTYPE_LETTERS = {word: letter for letter, word in _DTYPES.items()}
_SHAPE_LETTERS = {word: letter for letter, word in _SHAPES.items()}
_ALIAS_LETTERS = {kind: letter for letter, kind in _ALIASES.items()}
_GAP_LETTERS = {kind: letter for letter, kind in _GAPS.items()}


def encode(form: Form) -> str:
    """The text of a form."""
    named = (("f", form.frees), ("q", not form.bumps), ("c", form.curved))
    flags = "".join(letter for letter, holds in named if holds)
    fields = (
        "&".join(f"{test.key}:{','.join(sorted(test.kinds))}" for test in form.tests),
        " ".join(map(_encode_save, form.saves)),
        flags,
        " ".join([*form.modifies, *(f"{_UNVERSIONED}{key}" for key in form.unversioned)]),
        " ".join([*sorted(form.differentiable), *map(_encode_gap, form.gaps)]),
        " ".join(map(_encode_output, form.outputs)),
    )
    return ";".join(fields)


def decode(text: str) -> Form:
    """The form of a text made by `encode`."""
    tests, saves, flags, modifies, differentiable, outputs = text.split(";")
    return Form(
        tests=tuple(map(_decode_test, tests.split("&"))) if tests else (),
        saves=tuple(map(_decode_save, saves.split())),
        frees="f" in flags,
        modifies=tuple(key for key in modifies.split() if key[0] != _UNVERSIONED),
        unversioned=tuple(key[1:] for key in modifies.split() if key[0] == _UNVERSIONED),
        bumps="q" not in flags,
        differentiable=frozenset(key for key in differentiable.split() if not _is_gap(key)),
        outputs=tuple(map(_decode_output, outputs.split())),
        gaps=tuple(map(_decode_gap, filter(_is_gap, differentiable.split()))),
        curved="c" in flags,
    )


def encode_default(default: tuple[str, str | float]) -> str:
    """The text of the value that an argument has by default."""
    key, value = default
    return f"{key}={value!r}"


def decode_default(text: str) -> tuple[str, str | float]:
    """The key and the value of a text made by `encode_default`."""
    key, _, value = text.partition("=")
    if value.startswith("'"):
        return key, value.strip("'")
    return key, int(value) if value.lstrip("-").isdigit() else float(value)


def _encode_save(save: Save) -> str:
    needs = "" if save.needs is None else "<" + "|".join(sorted(save.needs))
    return save.key + needs + ("" if save.sure else "?")


def _encode_gap(gap: Gap) -> str:
    return gap.key + _GAP_LETTERS[gap.kind] + ("" if gap.sure else "?")


def _encode_output(output: Output) -> str:
    sign = "+" if output.differentiable else "-"
    text = sign + _DTYPE_LETTERS[output.dtype] + _SHAPE_LETTERS[output.shape]
    if output.alias is None:
        return text
    doubt = "" if output.alias.sure else "?"
    return f"{text}@{output.alias.key}{_ALIAS_LETTERS[output.alias.kind]}{doubt}"


def _decode_test(text: str) -> Test:
    key, _, kinds = text.partition(":")
    return Test(key, frozenset(kinds.split(",")))


def _decode_save(text: str) -> Save:
    key, guarded, needs = text.rstrip("?").partition("<")
    return Save(key, frozenset(needs.split("|")) if guarded else None, not text.endswith("?"))


def _is_gap(text: str) -> bool:
    return text.endswith((*_GAPS, "?"))


def _decode_gap(text: str) -> Gap:
    bare = text.rstrip("?")
    return Gap(bare[:-1], _GAPS[bare[-1]], not text.endswith("?"))


def _decode_output(text: str) -> Output:
    facts, aliased, alias = text.partition("@")
    return Output(
        differentiable=facts[0] == "+",
        dtype=_DTYPES[facts[1]],
        shape=_SHAPES[facts[2]],
        alias=_decode_alias(alias) if aliased else None,
    )


def _decode_alias(text: str) -> Alias:
    bare = text.rstrip("?")
    return Alias(bare[:-1], _ALIASES[bare[-1]], not text.endswith("?"))
