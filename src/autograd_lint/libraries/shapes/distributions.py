"""The shapes of `torch.distributions`: of a batch of distributions, and of one sample of each.

Source: https://docs.pytorch.org/docs/stable/distributions.html (`batch_shape`, `event_shape`).
"""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lint.engine.shapes import Shape, broadcast
from autograd_lint.immutable import immutable

# Of numbers, each with parameters of its own.
_OF_NUMBERS = frozenset(
    {
        "Bernoulli",
        "Beta",
        "Binomial",
        "Cauchy",
        "Chi2",
        "ContinuousBernoulli",
        "Exponential",
        "FisherSnedecor",
        "Gamma",
        "Geometric",
        "Gumbel",
        "HalfCauchy",
        "HalfNormal",
        "InverseGamma",
        "Kumaraswamy",
        "Laplace",
        "LogNormal",
        "NegativeBinomial",
        "Normal",
        "Pareto",
        "Poisson",
        "RelaxedBernoulli",
        "StudentT",
        "Uniform",
        "VonMises",
        "Weibull",
    }
)
# Of numbers, and of vectors, whose parameters have a last dimension for the classes.
_OVER_CLASSES = frozenset({"Categorical"})
_OF_VECTORS = frozenset(
    {
        "Dirichlet",
        "OneHotCategorical",
        "OneHotCategoricalStraightThrough",
        "RelaxedOneHotCategorical",
    }
)


@immutable
class Shapes:
    """`batch_shape` and `event_shape` of a distribution, each None where it is not known."""

    batch: Shape = None
    event: Shape = None

    @property
    def sample(self) -> Shape:
        """The shape of what `sample()` gives."""
        if self.batch is None or self.event is None:
            return None
        return self.batch + self.event

    def density(self, value: Shape) -> Shape:
        """The shape of the density of a value of a known shape."""
        if value is None or self.event is None or len(value) < len(self.event):
            return None
        return broadcast([value[: len(value) - len(self.event)], self.batch])

    def independent(self, number: int) -> Shapes:
        """The shapes where the last `number` dimensions of the batch belong to each sample."""
        if self.batch is None or self.event is None or not 0 <= number <= len(self.batch):
            return Shapes()
        kept = len(self.batch) - number
        return Shapes(self.batch[:kept], self.batch[kept:] + self.event)


def shapes_of(name: str, parameters: Sequence[Shape]) -> Shapes:
    """The shapes of a distribution of a class, given the shapes of all its parameters."""
    together = broadcast(parameters) if parameters else None
    if together is None:
        return Shapes()
    if name in _OF_NUMBERS:
        return Shapes(together, ())
    if not together:
        return Shapes()
    if name in _OVER_CLASSES:
        return Shapes(together[:-1], ())
    return Shapes(together[:-1], together[-1:]) if name in _OF_VECTORS else Shapes()
