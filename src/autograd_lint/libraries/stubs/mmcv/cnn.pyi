"""Sources: mmcv/cnn/bricks/conv_module.py, conv.py, norm.py, activation.py."""

from torch import nn

_CONVOLUTIONS = {"Conv1d": nn.Conv1d, "Conv2d": nn.Conv2d, "Conv3d": nn.Conv3d, "Conv": nn.Conv2d}
_NORMS = {
    "BN": ("bn", nn.BatchNorm2d),
    "BN1d": ("bn", nn.BatchNorm1d),
    "BN2d": ("bn", nn.BatchNorm2d),
    "BN3d": ("bn", nn.BatchNorm3d),
    "SyncBN": ("bn", nn.SyncBatchNorm),
    "IN": ("in", nn.InstanceNorm2d),
    "LN": ("ln", nn.LayerNorm),
}
_ACTIVATIONS = {
    "ReLU": nn.ReLU,
    "LeakyReLU": nn.LeakyReLU,
    "RReLU": nn.RReLU,
    "ReLU6": nn.ReLU6,
    "ELU": nn.ELU,
    "SiLU": nn.SiLU,
    "PReLU": nn.PReLU,
    "Sigmoid": nn.Sigmoid,
    "Tanh": nn.Tanh,
    "GELU": nn.GELU,
}
_NEVER_IN_PLACE = ("Tanh", "PReLU", "Sigmoid", "HSigmoid", "Swish", "GELU")

def build_conv_layer(cfg, *args, **kwargs) -> nn.Module:
    options = dict(cfg) if cfg is not None else {"type": "Conv2d"}
    return _CONVOLUTIONS[options.pop("type")](*args, **kwargs, **options)

def build_norm_layer(cfg, num_features, postfix=""):
    options = dict(cfg)
    kind, requires_grad = options.pop("type"), options.pop("requires_grad", True)
    if kind == "GN":
        name, layer = "gn", nn.GroupNorm(num_channels=num_features, **options)
    else:
        name, made_by = _NORMS[kind]
        layer = made_by(num_features, **options)
    for parameter in layer.parameters():
        parameter.requires_grad = requires_grad
    return name + str(postfix), layer

def build_activation_layer(cfg) -> nn.Module:
    options = dict(cfg)
    return _ACTIVATIONS[options.pop("type")](**options)

class ConvModule(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias="auto",
        conv_cfg=None,
        norm_cfg=None,
        act_cfg={"type": "ReLU"},
        inplace=True,
        with_spectral_norm=False,
        padding_mode="zeros",
        order=("conv", "norm", "act"),
        efficient_conv_bn_eval=False,
    ):
        super().__init__()
        self.with_norm, self.with_activation = norm_cfg is not None, act_cfg is not None
        self.order = order
        self.conv = build_conv_layer(
            conv_cfg,
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            bias=not self.with_norm if bias == "auto" else bias,
        )
        if self.with_norm:
            after = order.index("norm") > order.index("conv")
            channels = out_channels if after else in_channels
            self.norm_name, norm = build_norm_layer(norm_cfg, channels)
            self.add_module(self.norm_name, norm)
        if self.with_activation:
            options = dict(act_cfg)
            if options["type"] not in _NEVER_IN_PLACE:
                options.setdefault("inplace", inplace)
            self.activate = build_activation_layer(options)

    @property
    def norm(self):
        return getattr(self, self.norm_name) if self.with_norm else None

    def forward(self, x, activate=True, norm=True):
        for layer in self.order:
            if layer == "conv":
                x = self.conv(x)
            elif layer == "norm" and norm and self.with_norm:
                x = self.norm(x)
            elif layer == "act" and activate and self.with_activation:
                x = self.activate(x)
        return x
