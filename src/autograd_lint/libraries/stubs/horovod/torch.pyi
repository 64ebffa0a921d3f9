"""Source: horovod/torch/optimizer.py, horovod/torch/mpi_ops.py. What `allreduce` gives is the
result of a custom Function: it has a graph where the tensor that it is given has one."""

import torch
from torch.optim import Optimizer

def DistributedOptimizer(optimizer: Optimizer, named_parameters=None, **options):
    return optimizer

class HorovodAllreduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor):
        return tensor.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return HorovodAllreduce.apply(grad_output)

def allreduce(tensor, average=None, name=None, compression=None, **options):
    return HorovodAllreduce.apply(tensor)
