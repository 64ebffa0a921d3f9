"""AG416: a module is trained past the wrapper that averages its gradients over processes."""

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import NOT_AVERAGED, Pitfall
from autograd_lint.rules.silent import SilentRule


class ReplicaBypassed(SilentRule):
    """The module inside of `DistributedDataParallel` is called itself: gradients are not averaged.

    ## What it does

    Finds training steps whose loss comes from the module that `DistributedDataParallel` was given
    (`ddp.module(x)`, or the module by the name that it had before), while the wrapper itself is not
    called. `trace` also finds wrappers whose calls are all made under `no_sync()`.

    ## Why it is bad

    The wrapper prepares the averaging of gradients when it is called. A loss that was computed past
    it gives each process the gradients of its own batch alone, and the copies of the model drift
    apart. No error is raised.

    ## Example

    ```python
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    if not dist.is_initialized():
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    averaged = []


    def average(state, bucket):
        averaged.append(bucket.index())
        done = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done


    ddp = DistributedDataParallel(torch.nn.Linear(2, 1))
    ddp.register_comm_hook(None, average)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    ddp.module(torch.ones(4, 2)).square().mean().backward()
    optimizer.step()
    assert averaged
    ```

    ## Use instead

    ```python
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    if not dist.is_initialized():
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    averaged = []


    def average(state, bucket):
        averaged.append(bucket.index())
        done = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done


    ddp = DistributedDataParallel(torch.nn.Linear(2, 1))
    ddp.register_comm_hook(None, average)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    ddp(torch.ones(4, 2)).square().mean().backward()
    optimizer.step()
    assert averaged
    ```

    ## Fix safety

    There is no automatic fix.

    ## References

    - [DistributedDataParallel](https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html)
    """

    code = "AG416"
    name = "replica-bypassed"
    kinds = frozenset({Pitfall.REPLICA_BYPASSED})
    message = "this call passes `DistributedDataParallel` by: gradients are not averaged"
    label = "the module inside of the wrapper is called"
    reason = "only a call of the wrapper itself makes backward average gradients over processes"
    advice = "call the wrapper; what else a loss needs can be computed in `forward`"
    events = (("needed", "each process steps with its own gradients"),)

    def says(self, fault: Fault) -> str:
        if fault.detail == NOT_AVERAGED:
            return "`DistributedDataParallel` never averages the gradients of this backward"
        return super().says(fault)

    def labels(self, fault: Fault) -> str:
        if fault.detail == NOT_AVERAGED:
            return "fills gradients of the module inside of the wrapper"
        return super().labels(fault)

    def explains(self, fault: Fault) -> str:
        if fault.detail == NOT_AVERAGED:
            return "only a call of the wrapper outside of `no_sync()` makes backward average them"
        return super().explains(fault)
