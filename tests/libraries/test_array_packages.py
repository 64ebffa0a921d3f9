"""Packages that make arrays of the tensors they are given."""

import io
import operator
import warnings

import numpy
import pytest
import torch

from autograd_lint.libraries.array_packages import NUMPY
from tests.vm.running import certain

GIVEN = """
import numpy as np
import pandas as pd
import scipy.stats
import seaborn as sns
import matplotlib.pyplot as plt
from ase import Atoms
from sklearn.cluster import KMeans
from sklearn.metrics import roc_auc_score
w = torch.ones(3, requires_grad=True)
out = w * 2
"""
TAKING = [
    "np.linalg.norm({})",
    "np.argmax({})",
    "np.maximum(np.zeros(3), {})",
    "pd.DataFrame({})",
    "pd.DataFrame({{'out': {}}})",
    "pd.Series({})",
    "scipy.stats.norm.pdf({})",
    "sns.lineplot(x=[1, 2, 3], y={})",
    "plt.plot({})",
    "plt.plot([{}.sum(), 1.0])",
    "plt.scatter([1, 2, 3], {})",
    "plt.gca().imshow({})",
    "fig, ax = plt.subplots(); ax.plot({})",
    "roc_auc_score([0, 1, 1], {})",
    "KMeans(2).fit({})",
    "Atoms(symbols=['H'], positions={})",
]


@pytest.mark.parametrize("code", TAKING)
def test_what_makes_arrays_takes_no_graph(code: str) -> None:
    assert certain(GIVEN + code.format("out")) == ["numpy-on-grad"]
    assert certain(GIVEN + code.format("out.detach()")) == []


@pytest.mark.parametrize(
    "code",
    [
        "np.sum(out)",  # `out.sum`
        "np.shape(out)",
        "np.split(out, 3)",
        "plt.title(out)",
        "plt.plot([1, 2, 3], label=out)",
        "fig, ax = plt.subplots(); ax.set_title(out)",
        "pd.read_csv(out)",
        "with torch.no_grad(): plt.plot(out)",
    ],
)
def test_what_makes_none_is_left_alone(code: str) -> None:
    assert certain(GIVEN + code) == []


def _refused(name: str) -> set[str]:
    """What becomes of calls of a function of NumPy with a tensor that requires grad."""
    files = {"save": io.BytesIO(), "savetxt": io.StringIO(), "einsum": "ij->i"}
    before = [files[name]] if name in files else []
    function, found = operator.attrgetter(name)(numpy), set[str]()
    for shape in ((2, 2), (3,)):
        given = torch.ones(shape, requires_grad=True) * 2
        for more in ([], [given], [0.5], [2], [given, given]):
            try:
                function(*before, given, *more)
                found.add("accepted")
            except RuntimeError as error:
                found.add("refused" if "Can't call numpy()" in str(error) else "other")
            except (AttributeError, TypeError, ValueError, numpy.exceptions.AxisError):
                found.add("other")
    return found


@pytest.mark.parametrize("name", sorted(NUMPY))
def test_numpy_makes_an_array_of_it(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _refused(name)
    assert "refused" in found
    assert "accepted" not in found
