"""Losses that compare results of one network, both with a gradient, though one is the target: what
it says of a later state, or makes of another view; and advantages that train the critic.

value, later = critic(state), critic(following)
mse_loss(value, reward + discount * later)              # `later` is to be detached
-(policy.log_prob(action) * (gain - value)).mean()      # and `value` here
-cosine_similarity(predictor(encoder(a)), encoder(b))   # and `encoder(b)`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from autograd_lint.engine.events import Created, Needed
from autograd_lint.engine.pitfalls import ADVANTAGE, PREDICTED, SHARPENED, Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import birth_of, place_of
from autograd_lint.live.naming import call_at
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import name_of, named_tensors
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_CALLS = 2  # of a place that are looked at
_MOST_NODES = 2_000
_MOST_OF_TOP = 256
_MOST_LED = 64  # nodes of sums that are gone through
_LOSSES = frozenset({"huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss"})
_LENGTHS = frozenset({"abs", "norm", "linalg_vector_norm", "pow"})  # of a difference
_SHAPING = frozenset(
    {
        "expand",
        "reshape",
        "squeeze",
        "t",
        "transpose",
        "unsafe_view",
        "unsqueeze",
        "view",
    }
)
_BOUNDING = frozenset({"clamp", "clamp_max", "clamp_min", "maximum", "minimum", "where"})
_SUMMING = frozenset({"add", "cat", "div", "mean", "mul", "neg", "stack", "sub", "sum"})
_GATHERING = _SHAPING | {"add", "cat", "exp", "neg", "stack", "sum"}  # of log probabilities
_LEADING = _SUMMING | _SHAPING
_MAKING = _LEADING | _BOUNDING


class Comparisons(Family):
    """Looks into the graphs of the first calls of each place; keeps nothing of them."""

    __slots__ = ("_known", "_looked", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._looked: Counter[Site] = Counter()
        self._known: dict[Site, bool] = {}  # whether `log_prob` is called there

    def look(self, walk: Walk) -> None:
        """A call of the engine begins that is looked at closely."""
        if walk.site is None or not walk.accumulates or len(walk.nodes) > _MOST_NODES:
            return
        self._looked[walk.site] += 1
        if self._looked[walk.site] > _CALLS:
            return
        top = _top(graph.roots_of(walk.roots))
        compared = [node for node in top if _is_comparison(node)]
        squared = [one for node in top for one in _squared(node)]
        for node in (*compared, *squared):
            self._look_at_later(node, walk)
            self._look_at_sharpened(node, walk)
        self._look_at_advantages(top, walk)
        self._look_at_predictions(walk)

    def _look_at_later(self, node: Any, walk: Walk) -> None:
        """A value that is compared with data and what the same network says of other input."""
        shifted = [(one, _shifted(one)) for one in graph.edges_of(node)]
        for (target, inner), (other, plain) in (shifted, shifted[::-1]):
            if inner is None or plain is not None:
                continue
            known = set(graph.nodes_below([other]))
            shared = [one for one in graph.nodes_below([inner]) if one in known]
            leaves = graph.leaves_in(shared)
            if leaves and (len(leaves) == len(shared) or _is_later_part(inner, other)):
                self._tell(target, walk, name_of(leaves[0], self._told.sites))

    def _look_at_sharpened(self, node: Any, walk: Walk) -> None:
        """A prediction that is compared with a power of what the same network predicts."""
        first, second = graph.edges_of(node)
        for target, other in ((first, second), (second, first)):
            powers = _normalised_power(target)
            if powers is None or _normalised_power(other) is not None:
                continue
            leaves = set(map(id, graph.leaves_in(graph.nodes_below([other]))))
            if leaves and leaves == set(map(id, graph.leaves_in(graph.nodes_below([powers])))):
                self._tell(target, walk, self._name(target), detail=SHARPENED)

    def _look_at_advantages(self, top: list[Any], walk: Walk) -> None:
        """A log probability that is weighed by a difference of a value that another loss trains."""
        squares = [one for one in top if graph.operator_of(one) in _LOSSES | {"pow"}]
        for node in filter(_is_product, top if squares else ()):
            own, other = graph.edges_of(node)
            for probability, weight in ((own, other), (other, own)):
                difference = _difference_in(weight)
                if difference is None or not self._is_log_probability(probability):
                    continue
                weighed = set(graph.nodes_below([node]))
                values = graph.nodes_below(one for one in squares if one not in weighed)
                inner = {one for one in graph.nodes_below([difference]) if not _is_leaf(one)}
                if node not in values and not inner.isdisjoint(values):
                    self._tell(node, walk, self._name(weight), detail=ADVANTAGE, made=difference)

    def _look_at_predictions(self, walk: Walk) -> None:
        """A loss that compares nothing but predictions with their targets."""
        terms = [*_terms(graph.roots_of(walk.roots))]
        if not terms or not all(map(_compares_two, terms)):
            return
        found = [_target(one) for one in terms]
        if None not in found:
            for one, target in zip(terms, found, strict=True):
                self._tell(one, walk, self._name(target), detail=PREDICTED, made=target)

    def _is_log_probability(self, node: Any) -> bool:
        """Whether `log_prob` has given this, perhaps of several actions whose sum it is."""
        stack, seen = [node], 0
        while stack and seen < _MOST_LED:
            one, seen = stack.pop(), seen + 1
            if not self._is_of_an_action(one):
                if graph.operator_of(one) not in _GATHERING:
                    return False
                stack += graph.edges_of(one)
        return not stack

    def _is_of_an_action(self, node: Any) -> bool:
        """Whether `log_prob` has given this, or it is picked from what `log_softmax` has given."""
        birth = birth_of(node, self._told.record)
        own = birth is not None and birth.site is not None and self._calls_log_prob(birth.site)
        is_picked = graph.operator_of(node) in ("gather", "index")
        return own or (is_picked and any(map(_is_log_softmax, graph.edges_of(node))))

    def _calls_log_prob(self, site: Site) -> bool:
        known = self._known.get(site)
        if known is None:
            call = call_at(site.place)
            known = call is not None and getattr(call.func, "attr", "") == "log_prob"
            self._known[site] = known
        return known

    def _name(self, node: Any) -> str | None:
        """The variable that holds what a node has given."""
        named = named_tensors(self._told.sites)
        return next((name for name, one in named if graph.node_of(one) is node), None)

    def _tell(
        self, node: Any, walk: Walk, name: str | None, *, detail: str = "", made: Any = None
    ) -> None:
        birth = birth_of(node, self._told.record)
        if birth is None or birth.site is None:
            return
        origin = birth_of(made, self._told.record) if made is not None else None
        built = Created(place_of(origin.site), origin.operator) if origin is not None else None
        needed = Needed(place_of(walk.site), walk.name)
        self._told.tell(
            Pitfall.TARGET_LEARNS,
            birth.site,
            tensor=name,
            detail=detail,
            built=built,
            needed=needed,
        )


def _top(roots: list[Any]) -> list[Any]:
    """The nodes by which a loss is made of its terms: sums and scales, down to what is compared."""
    found = dict.fromkeys(roots)
    stack = list(found)
    while stack and len(found) < _MOST_OF_TOP:
        node = stack.pop()
        edges = graph.edges_of(node) if graph.operator_of(node) in _MAKING else []
        stack += (one for one in edges if one not in found)
        found.update(dict.fromkeys(edges))
    return list(found)


def _below(node: Any, operators: Collection[str]) -> Any:
    """The first node that is none of these, below ones that lead to nothing else."""
    while graph.operator_of(node) in operators and len(edges := graph.edges_of(node)) == 1:
        node = edges[0]
    return node


def _is_leaf(node: Any) -> bool:
    return graph.operator_of(node) == "accumulate_grad"


def _is_log_softmax(node: Any) -> bool:
    return graph.operator_of(_below(node, _SHAPING)) in ("log_softmax", "_log_softmax")


def _compares_two(node: Any) -> bool:
    return len(graph.edges_of(node)) == 2


def _is_comparison(node: Any) -> bool:
    return graph.operator_of(node) in _LOSSES and _compares_two(node)


def _is_product(node: Any) -> bool:
    return graph.operator_of(node) == "mul" and _compares_two(node)


def _squared(node: Any) -> Iterator[Any]:
    """A difference of two results, of which a node takes the square or the length."""
    edges = graph.edges_of(node) if graph.operator_of(node) in _LENGTHS else []
    for one in edges:
        if graph.operator_of(one) == "sub" and _compares_two(one):
            yield one


def _shifted(node: Any) -> Any:
    """What is scaled in a sum of data and of something scaled; None for anything else."""
    node = _below(node, _SHAPING | _BOUNDING)
    edges = graph.edges_of(node)
    if graph.operator_of(node) != "add" or len(edges) != 1:
        return None
    inner = _below(edges[0], _SHAPING)
    scaled = _below(inner, _SHAPING | {"mul"})
    return scaled if scaled is not inner else None


def _is_later_part(inner: Any, other: Any) -> bool:
    """Whether two nodes take parts of one result, the first one what comes later in it."""
    later, earlier = _below(inner, _SHAPING), _below(other, _SHAPING)
    is_of_one = graph.edges_of(later) == graph.edges_of(earlier)
    if not is_of_one or {graph.operator_of(later), graph.operator_of(earlier)} != {"slice"}:
        return False
    is_along = later._saved_dim == earlier._saved_dim
    return bool(is_along and later._saved_start > earlier._saved_start)


def _normalised_power(node: Any) -> Any:
    """The power that a node divides by the sum of it; None for anything else."""
    edges = graph.edges_of(node) if graph.operator_of(node) == "div" else []
    if len(edges) != 2 or graph.operator_of(edges[0]) != "pow":
        return None
    total = _below(edges[1], _SHAPING)
    is_sum = graph.operator_of(total) == "sum" and graph.edges_of(total) == [edges[0]]
    return edges[0] if is_sum else None


def _difference_in(node: Any) -> Any:
    """The first difference in a sum, perhaps one for each of several steps, that is given another
    mean or deviation; None where there is none."""
    stack, seen = [node], set[Any]()
    while stack and len(seen) < _MOST_LED:
        one = stack.pop()
        operator = graph.operator_of(one)
        if one in seen or operator not in _LEADING:
            continue
        seen.add(one)
        if operator == "sub":
            return one
        stack += graph.edges_of(one)
    return None


def _terms(roots: list[Any]) -> Iterator[Any]:
    """What a loss is the sum of, each as the operator that compares, or any other."""
    stack, seen = [*roots], set[Any]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        edges, operator = graph.edges_of(node), graph.operator_of(node)
        difference = next(_squared(node), None)
        if difference is not None or operator not in _LEADING or _is_product(node):
            yield node if difference is None else difference
        else:
            stack += edges


def _target(comparison: Any) -> Any:
    """The side of a comparison that the other one predicts by parameters of its own, from what the
    same network has made of other input; None where there is none."""
    if graph.operator_of(comparison) not in _LOSSES | {"mul", "sub"}:
        return None
    edges = graph.edges_of(comparison)
    for source, target in (edges, edges[::-1]):
        bits: dict[int, int] = {}
        stages, shared = _parameters(source, bits), _parameters(target, bits).get(target)
        predicts = shared != stages.get(source) and shared in stages.values()
        if shared and predicts and not _is_leaf(_below(target, _SHAPING)):
            inner = {one for one in graph.nodes_below([source]) if not _is_leaf(one)}
            below = graph.nodes_below([target])
            is_of_network = any(graph.operator_of(one) in graph.PRODUCTS for one in below)
            if is_of_network and inner.isdisjoint(below):
                return target
    return None


def _parameters(start: Any, bits: dict[int, int]) -> dict[Any, int]:
    """The leaves that each node up to one was computed with, of each the bit that it has or gets;
    none at all where a custom Function has a part in it."""
    nodes = graph.nodes_below([start])
    if any(map(graph.runs_program, nodes)):
        return {}
    leaves = graph.leaf_nodes(nodes)
    marks = {node: bits.setdefault(id(node.variable), 1 << len(bits)) for node in leaves}
    return graph.carried(nodes, marks)
