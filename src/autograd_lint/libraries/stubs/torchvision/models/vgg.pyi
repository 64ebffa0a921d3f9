"""Source: torchvision/models/vgg.py."""

from torch import nn

# Channels of the convolutions of each stage; a stage ends with a pooling.
_STAGES = {
    11: [(64,), (128,), (256, 256), (512, 512), (512, 512)],
    13: [(64, 64), (128, 128), (256, 256), (512, 512), (512, 512)],
    16: [(64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512)],
    19: [(64, 64), (128, 128), (256,) * 4, (512,) * 4, (512,) * 4],
}

class VGG(nn.Module):
    def __init__(self, features, num_classes=1000, init_weights=True, dropout=0.5):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(True),
            nn.Dropout(p=dropout),
            nn.Linear(4096, num_classes),
        )

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))

def _vgg(depth, norm, options):
    options.pop("pretrained", None)
    layers = []
    incoming = 3
    for stage in _STAGES[depth]:
        for channels in stage:
            layers.append(nn.Conv2d(incoming, channels, 3, padding=1))
            if norm:
                layers.append(nn.BatchNorm2d(channels))
            layers.append(nn.ReLU(inplace=True))
            incoming = channels
        layers.append(nn.MaxPool2d(2, 2))
    return VGG(nn.Sequential(*layers), **options)

def vgg11(weights=None, progress=True, **options):
    return _vgg(11, False, options)

def vgg11_bn(weights=None, progress=True, **options):
    return _vgg(11, True, options)

def vgg13(weights=None, progress=True, **options):
    return _vgg(13, False, options)

def vgg13_bn(weights=None, progress=True, **options):
    return _vgg(13, True, options)

def vgg16(weights=None, progress=True, **options):
    return _vgg(16, False, options)

def vgg16_bn(weights=None, progress=True, **options):
    return _vgg(16, True, options)

def vgg19(weights=None, progress=True, **options):
    return _vgg(19, False, options)

def vgg19_bn(weights=None, progress=True, **options):
    return _vgg(19, True, options)
