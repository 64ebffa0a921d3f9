"""What layers keep of the sizes that they are given is what torch's own layers keep."""

import pytest
import torch

from autograd_lint.libraries.torch.modules.layer_sizes import kept
from autograd_lint.vm.values import Items

LAYERS: dict[str, dict[str, object]] = {
    "Conv1d": {"in_channels": 3, "out_channels": 4, "kernel_size": 3, "padding": "same"},
    "Conv2d": {"in_channels": 3, "out_channels": 4, "kernel_size": 3, "stride": 2, "padding": 1},
    "ConvTranspose3d": {"in_channels": 3, "out_channels": 4, "kernel_size": 3, "dilation": 2},
    "AvgPool1d": {"kernel_size": 2, "padding": 1},
    "AvgPool2d": {"kernel_size": 2, "padding": 1},
    "MaxPool2d": {"kernel_size": 2, "stride": 2},
    "MaxUnpool2d": {"kernel_size": 2, "stride": 3},
    "FractionalMaxPool3d": {"kernel_size": 2, "output_size": 2},
    "ZeroPad2d": {"padding": 1},
    "ReplicationPad3d": {"padding": 2},
    "ConstantPad1d": {"padding": 2, "value": 1},
    "LayerNorm": {"normalized_shape": 4},
    "RMSNorm": {"normalized_shape": 4},
    "Dropout": {"p": 0.5, "inplace": True},
    "Flatten": {"start_dim": 1},
}


@pytest.mark.parametrize("layer", LAYERS)
def test_an_option_is_kept_as_torch_keeps_it(layer: str) -> None:
    made = getattr(torch.nn, layer)(**LAYERS[layer])
    for option, given in LAYERS[layer].items():
        found = kept(f"nn.{layer}", option, given)  # type: ignore[arg-type]
        told = tuple(found.items) if isinstance(found, Items) else found
        assert told == getattr(made, option), option
