"""What the table says about an operator, in words."""

from collections.abc import Iterable

from autograd_lint.operators.facts import Alias, AliasKind, Form, Gap, GapKind, Operator, Save, Test

_KINDS = {
    "absent": "not given",
    "none": "None",
    "tensor": "a tensor",
    "float-tensor": "a float tensor",
    "int-tensor": "an integer tensor",
    "bool-tensor": "a boolean tensor",
    "complex-tensor": "a complex tensor",
    "tensors": "a list of tensors",
    "number": "a number",
    "int": "an integer",
    "float": "a float",
    "zero": "0",
    "true": "True",
    "false": "False",
    "int-list": "a list of integers",
    "string": "a string",
    "float-dtype": "a float dtype",
    "int-dtype": "an integer dtype",
    "bool-dtype": "torch.bool",
    "complex-dtype": "a complex dtype",
    "index-int": "an integer",
    "index-slice": "a slice",
    "index-all": "`:` or `...`",
    "index-tensor": "a tensor of indices",
    "index-mask": "a mask",
    "other": "something else",
}
_ALIASES = {
    AliasKind.SELF: "is {key} itself",
    AliasKind.VIEW: "is a view of {key}, with the same version counter",
    AliasKind.MULTI_VIEW: "is one of several views of {key}, which refuse to be changed in place",
    AliasKind.DETACHED: "shares the memory and the version counter of {key}, without an edge to it",
    AliasKind.UNVERSIONED: "shares the memory of {key}, with a version counter of its own",
}
_GAPS = {
    GapKind.REFUSED: "Without a derivative in {key}: backward raises on its way there",
    GapKind.NOTHING: "Without any gradient for {key}",
    GapKind.ONCE: "The gradient for {key} has no derivative itself",
}


def describe(operator: Operator) -> str:
    """A few lines for a reader: what the operator does when, the usual call first."""
    words = _Words(operator)
    *special, usual = operator.forms
    said = words.form(usual)
    others = [(form, words.form(form)) for form in special]
    lines = [f"{words.tests(form.tests)}: {text}" for form, text in others if text != said]
    return "\n".join([f"{operator.name}: {said}", *lines, *words.refusals()])


class _Words:
    """Says things of one operator, whose arguments have names."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.names = {"0": "its input", **_INDEXING.get(operator.name, {})}
        for key in {key for _, key in operator.keywords}:
            words = [word for word, other in operator.keywords if other == key]
            telling = [word for word in words if word not in (_FIRST if key == "0" else _OTHER)]
            if telling:
                self.names[key] = "/".join(f"`{word}`" for word in telling)

    def tests(self, tests: Iterable[Test]) -> str:
        """`if dim is a number and out is a tensor`."""
        return "if " + " and ".join(map(self._test, tests))

    def refusals(self) -> list[str]:
        """What must not require grad."""
        keys = _forbidden(self.operator)
        return [f"raises when {_either(map(self._key, keys))} requires grad."] if keys else []

    def form(self, form: Form) -> str:
        """All that a form says, in sentences."""
        sentences = [
            self._saves(form),
            *self._modifies(form),
            *self._results(form),
            self._edges(form),
            self._second(form),
        ]
        return " ".join(sentence for sentence in sentences if sentence) or "returns no tensor."

    def _key(self, key: str) -> str:
        if key.startswith("out") and key != "out":
            return "its result" if key in ("out0", "out*") else f"its result {key[3:]}"
        return self.names.get(key, f"argument {key}" if key.isdigit() else f"`{key}`")

    def _test(self, test: Test) -> str:
        kinds = sorted(test.kinds - _SHADOWED if len(test.kinds) > 1 else test.kinds)
        return f"{self._key(test.key)} is {_either(map(_kind, kinds or sorted(test.kinds)))}"

    def _saves(self, form: Form) -> str:
        if form.saves:
            return f"saves {_and(self._save(save) for save in form.saves)} for backward."
        return "saves no tensor." if form.differentiable else ""

    def _save(self, save: Save) -> str:
        doubt = "" if save.sure else " (depending on shapes and values)"
        if save.needs is None:
            return f"{self._key(save.key)}{doubt}"
        needs = _either(self._key(key) for key in sorted(save.needs))
        return f"{self._key(save.key)} (if {needs} requires grad){doubt}"

    def _modifies(self, form: Form) -> list[str]:
        seen, unseen = (form.modifies, form.unversioned) if form.bumps else ((), form.modifies)
        texts = [f"Modifies {_and(map(self._key, seen))} in place."] if seen else []
        if unseen:
            text = (
                f"{_and(map(self._key, unseen))} in place, which the version counter does not see"
            )
            texts.append(f"Modifies {text}.")
        return texts

    def _results(self, form: Form) -> list[str]:
        aliases = [(place, output.alias) for place, output in enumerate(form.outputs)]
        return [self._result(place, alias, form) for place, alias in aliases if alias]

    def _result(self, place: int, alias: Alias, form: Form) -> str:
        subject = "The result" if len(form.outputs) == 1 else f"Result {place}"
        doubt = "" if alias.sure else ", or a copy"
        return f"{subject} {_ALIASES[alias.kind].format(key=self._key(alias.key))}{doubt}."

    def _edges(self, form: Form) -> str:
        if not form.differentiable:
            return "Its result never requires grad." if form.outputs else ""
        gaps = "".join(f" {self._gap(gap)}" for gap in form.gaps if gap.kind in _GAPS)
        return f"Differentiable in {_and(map(self._key, sorted(form.differentiable)))}.{gaps}"

    def _gap(self, gap: Gap) -> str:
        doubt = "" if gap.sure else " (depending on shapes and values)"
        return f"{_GAPS[gap.kind].format(key=self._key(gap.key))}{doubt}."

    def _second(self, form: Form) -> str:
        if not form.differentiable:
            return ""
        if form.frees:
            own = " Its gradient has a graph of its own (`create_graph`)." if form.curved else ""
            return f"A second backward through it raises, unless the first retains the graph.{own}"
        if form.saves:
            return "A second backward through it raises if anything was saved."
        return "Backward may run through it any number of times."


# Names that tell nothing, of the first argument and of others.
_FIRST = ("self", "input", "tensor")
_OTHER = ("self", "axis")
_INDEXING = {
    "__getitem__": {"1": "the index"},
    "__setitem__": {"1": "the index", "2": "the value"},
}
_SHADOWED = frozenset({"int", "float", "float-tensor", "zero"})


def _kind(kind: str) -> str:
    return repr(kind[1:]) if kind.startswith("=") else _KINDS[kind]


def _and(words: Iterable[str]) -> str:
    return _listed(list(words), "and")


def _either(words: Iterable[str]) -> str:
    return _listed(list(dict.fromkeys(words)), "or")


def _listed(words: list[str], last: str) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def _forbidden(operator: Operator) -> list[str]:
    """The keys of arguments that must not require grad, in some form at least."""
    gaps = (gap for form in operator.forms for gap in form.gaps)
    return sorted({gap.key for gap in gaps if gap.kind is GapKind.FORBIDDEN})
