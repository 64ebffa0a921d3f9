"""Sparse tensors: what making one saves, and what may be written then."""

from tests.vm.running import certain, kinds

START = (
    "at = torch.tensor([[0, 1, 2], [1, 2, 0]])\n"
    "values = torch.rand(3, requires_grad=True)\n"
    "sparse = torch.sparse_coo_tensor(at, values * 2, (3, 3))\n"
)
END = "sparse.to_dense().sum().backward()\n"


def test_a_sparse_tensor_is_saved_by_what_makes_it() -> None:
    assert certain(START + "sparse += sparse.t()\n" + END) == ["saved-tensor-modified"]
    assert kinds(START + "sparse = sparse + sparse.t()\n" + END) == []


def test_without_gradients_it_may_be_written() -> None:
    text = START.replace(", requires_grad=True", "")
    assert kinds(text + "sparse += sparse.t()\n") == []


def test_there_is_no_derivative_of_declaring_it_coalesced() -> None:
    assert certain(START + "sparse = sparse._coalesced_(True)\n" + END) == ["other"]
    assert kinds(START + "sparse = sparse.coalesce()\n" + END) == []


def test_it_may_be_asked_to_require_grad_itself() -> None:
    text = "at = torch.tensor([[0], [1]])\nsparse = torch.sparse_coo_tensor(at, {}, (2, 2){})\n"
    flag = ", requires_grad=True"
    assert certain(text.format("torch.ones(1)", flag) + "sparse.mul_(2)\n") == ["leaf-modified"]
    assert kinds(text.format("torch.ones(1)", "") + "sparse.mul_(2)\n") == []


def test_spmm_is_mm() -> None:
    text = (
        START + "w = torch.ones(3, 1, requires_grad=True)\ny = w.exp()\nz = torch.spmm(sparse, y)\n"
    )
    assert certain(text + "y.mul_(2)\nz.sum().backward()\n") == ["saved-tensor-modified"]


CUT = (
    "at = torch.tensor([[0, 1], [1, 0]])\n"
    "w = torch.rand(2, requires_grad=True)\n"
    "opt = torch.optim.SGD([w], 0.1)\n"
    "sparse = torch.sparse_coo_tensor(at, w, (2, 2))\n"
    "scale = torch.ones(1, requires_grad=True)\n"
    "(scale * {} * sparse._indices()[0]).sum().backward()\n"
    "opt.step()\n"
)


def test_the_bare_values_of_a_sparse_tensor_have_no_graph_and_its_places_need_none() -> None:
    assert certain(CUT.format("sparse._values()")) == ["gradient-cut"]
    picked = "sparse._values()[sparse._indices()[0]]"
    assert certain(CUT.format(picked)) == ["gradient-cut"]
    assert kinds(CUT.format("sparse.coalesce().values()")) == []


def test_values_may_as_well_be_those_of_a_dictionary() -> None:
    text = "def f(model, x):\n    losses = model(x)\n    sum(losses.values()).backward()\n"
    assert kinds(text) == []
