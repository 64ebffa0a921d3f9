"""Source: torchvision/models/efficientnet.py, with one block for all of them."""

from torch import nn

class EfficientNet(nn.Module):
    def __init__(self, channels, dropout, num_classes=1000):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, channels, 32, 32, bias=False),
            nn.BatchNorm2d(channels),
            nn.SiLU(inplace=True),
        )
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Dropout(p=dropout, inplace=True), nn.Linear(channels, num_classes)
        )

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))

def _efficientnet(channels, options):
    return EfficientNet(channels, options.get("dropout", 0.2), options.get("num_classes", 1000))

def efficientnet_b0(weights=None, progress=True, **options):
    return _efficientnet(1280, options)

def efficientnet_b1(weights=None, progress=True, **options):
    return _efficientnet(1280, options)

def efficientnet_b2(weights=None, progress=True, **options):
    return _efficientnet(1408, options)

def efficientnet_b3(weights=None, progress=True, **options):
    return _efficientnet(1536, options)

def efficientnet_b4(weights=None, progress=True, **options):
    return _efficientnet(1792, options)

def efficientnet_b5(weights=None, progress=True, **options):
    return _efficientnet(2048, options)

def efficientnet_b6(weights=None, progress=True, **options):
    return _efficientnet(2304, options)

def efficientnet_b7(weights=None, progress=True, **options):
    return _efficientnet(2560, options)

def efficientnet_v2_s(weights=None, progress=True, **options):
    return _efficientnet(1280, options)

def efficientnet_v2_m(weights=None, progress=True, **options):
    return _efficientnet(1280, options)

def efficientnet_v2_l(weights=None, progress=True, **options):
    return _efficientnet(1280, options)
