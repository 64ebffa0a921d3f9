"""Packages that make arrays of the tensors they are given: NumPy, what draws, what fits.

Which functions do was measured with torch 2.13, NumPy 2, Matplotlib 3.11, pandas 3.1, SciPy 1.17,
scikit-learn 1.9, seaborn 0.13 and ASE 3.29, by a tensor that requires grad: `Tensor.__array__`
calls `numpy()`. What NumPy only asks for its shape, or leaves to a method of that name
(`np.sum(t)` is `t.sum(...)`), is none of them.
"""

from __future__ import annotations

from autograd_lint.libraries.torch.tensors.methods import refuse_numpy
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import elements, tensor_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import DATA, Items, Mapping, Unknown, Value

NUMPY = {"abs", "absolute", "add", "allclose", "arccos", "arcsin", "arctan", "argmax", "argmin"}
NUMPY |= {"argsort", "atleast_1d", "atleast_2d", "average", "ceil", "clip", "copy", "corrcoef"}
NUMPY |= {"cos", "cosh", "cov", "cumsum", "diff", "digitize", "divide", "dot", "einsum", "exp"}
NUMPY |= {"expand_dims", "floor", "histogram", "interp", "isclose", "isfinite", "isinf", "isnan"}
NUMPY |= {"linalg.det", "linalg.eig", "linalg.eigh", "linalg.inv", "linalg.norm", "linalg.solve"}
NUMPY |= {"linalg.svd", "log", "log10", "log1p", "log2", "matmul", "maximum", "median", "minimum"}
NUMPY |= {"multiply", "nanmean", "nanstd", "ones_like", "pad", "percentile", "power", "quantile"}
NUMPY |= {"ravel", "repeat", "reshape", "rint", "roll", "rot90", "round", "save", "savetxt"}
NUMPY |= {"searchsorted", "sign", "sin", "sinh", "sort", "sqrt", "square", "subtract", "tan"}
NUMPY |= {"tanh", "testing.assert_allclose", "testing.assert_almost_equal"}
NUMPY |= {"testing.assert_array_almost_equal", "testing.assert_array_equal", "tile", "transpose"}
NUMPY |= {"trapezoid", "tril", "triu", "where", "zeros_like"}
# What `pyplot` and its axes draw.
DRAWN = {"axhline", "axvline", "bar", "barh", "boxplot", "contour", "contourf", "errorbar"}
DRAWN |= {"fill_between", "hexbin", "hist", "hist2d", "hlines", "imshow", "loglog", "matshow"}
DRAWN |= {"pcolor", "pcolormesh", "pie", "plot", "quiver", "scatter", "semilogx", "semilogy"}
DRAWN |= {"stackplot", "stem", "step", "streamplot", "violinplot", "vlines"}
FRAMES = {"pandas.DataFrame", "pandas.Series"}
# Packages all of whose functions, and methods of whose objects, take arrays.
TAKING = {"ase", "scipy", "seaborn", "sklearn"}
# Packages whose objects (axes, estimators) have methods that take arrays.
OBJECTS = {*TAKING, "matplotlib"}
WORDS = {"label", "labels", "color", "title", "alpha"}  # keywords that are no data
_PACKAGE = "package of an object"


def refuse_graphs(interp: Interpreter, path: str, call: Call) -> None:
    """Report the tensors that require grad among what a function of a package makes arrays of.

    NumPy makes arrays of the tensors in a list in all of its functions.
    """
    top, _, name = path.partition(".")
    first = call.args[0] if call.args else None
    if top == "numpy" and isinstance(first, Items):
        _refuse(interp, path, call, first.items)
    elif top == "numpy" and name in NUMPY:
        _refuse(interp, path, call, call.args)
    elif path in FRAMES:
        _refuse(interp, path, call, _columns(first))
    elif top in TAKING or (top == "matplotlib" and path.rpartition(".")[2] in DRAWN):
        _refuse(interp, path, call, _data(call))


def made_by(path: str, result: Unknown) -> Value:
    """What such a function returns: one of the package's objects, or several."""
    top, _, name = path.partition(".")
    if top in OBJECTS:
        result.attributes[_PACKAGE] = top
    if name != "pyplot.subplots":
        return result
    parts = [Unknown(f"{result.origin}[{i}]", result.hint, DATA) for i in range(2)]
    for part in parts:
        part.attributes[_PACKAGE] = top
    return Items("tuple", list(parts))


def refuse_graphs_in_method(interp: Interpreter, owner: Unknown, name: str, call: Call) -> None:
    """The same of a method of an object that such a package has made (`ax.plot(losses)`)."""
    top = owner.attributes.get(_PACKAGE)
    if top in TAKING or (top == "matplotlib" and name in DRAWN):
        _refuse(interp, f"{top}.{name}", call, _data(call))


def _refuse(interp: Interpreter, path: str, call: Call, values: list[Value]) -> None:
    for value in values:
        tensor = tensor_of(value)
        if tensor is not None:
            refuse_numpy(interp, tensor, call, path)


def _columns(given: Value) -> list[Value]:
    """The tensors of which a frame makes its columns."""
    return list(given.entries.values()) if isinstance(given, Mapping) else [given]


def _data(call: Call) -> list[Value]:
    """The arguments that are data, and what the lists among them hold."""
    named = (value for key, value in call.keywords.items() if key not in WORDS)
    return [part for value in (*call.args, *named) for part in elements(value)]
