"""AG440: a distributed sampler gives each epoch the same order."""

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.rules.silent import SilentRule


class OrderRepeated(SilentRule):
    """A distributed sampler gives each epoch the same order.

    ## What it does

    Finds a `DistributedSampler` that shuffles, whose loader a training loop goes through epoch
    after epoch, in files in which nothing calls `set_epoch`.

    ## Why it is bad

    The sampler seeds its shuffle with the epoch, which is 0 until `set_epoch` says another one.
    All epochs have the same batches in the same order, and each process always gets the same part
    of the data. No error is raised.

    ## Example

    ```python
    import torch
    from torch.utils.data import DataLoader, DistributedSampler

    data = [torch.full((1,), float(i)) for i in range(32)]
    sampler = DistributedSampler(data, num_replicas=2, rank=0)
    loader = DataLoader(data, sampler=sampler)
    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    orders = []
    for epoch in range(2):
        orders.append([])
        for x in loader:
            optimizer.zero_grad()
            (w - x).square().sum().backward()
            optimizer.step()
            orders[epoch].append(x.item())
    assert orders[0] != orders[1]
    ```

    ## Use instead

    ```python
    import torch
    from torch.utils.data import DataLoader, DistributedSampler

    data = [torch.full((1,), float(i)) for i in range(32)]
    sampler = DistributedSampler(data, num_replicas=2, rank=0)
    loader = DataLoader(data, sampler=sampler)
    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    orders = []
    for epoch in range(2):
        orders.append([])
        sampler.set_epoch(epoch)
        for x in loader:
            optimizer.zero_grad()
            (w - x).square().sum().backward()
            optimizer.step()
            orders[epoch].append(x.item())
    assert orders[0] != orders[1]
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [torch.utils.data.distributed.DistributedSampler](https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler)
    """

    code = "AG440"
    name = "order-repeated"
    kinds = frozenset({Pitfall.ORDER_REPEATED})
    message = "this sampler is never told the epoch: each one has the same order"
    label = "shuffles with the same seed in each epoch"
    reason = "the seed of the shuffle is that of epoch 0 until `set_epoch` is called"
    advice = "call `sampler.set_epoch(epoch)` at the beginning of each epoch"
    events = (("needed", "gone through in each epoch"),)
