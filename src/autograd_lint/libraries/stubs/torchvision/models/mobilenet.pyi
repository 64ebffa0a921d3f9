"""Sources: torchvision/models/mobilenetv2.py, mobilenetv3.py, with one block for all of them."""

from torch import nn

class MobileNetV2(nn.Module):
    def __init__(self, num_classes=1000, width_mult=1.0, dropout=0.2, **options):
        super().__init__()
        self.last_channel = 1280
        self.features = nn.Sequential(
            nn.Conv2d(3, 1280, 32, 32, bias=False), nn.BatchNorm2d(1280), nn.ReLU6(inplace=True)
        )
        self.classifier = nn.Sequential(nn.Dropout(p=dropout), nn.Linear(1280, num_classes))

    def forward(self, x):
        out = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(out.flatten(1))

class MobileNetV3(nn.Module):
    def __init__(self, channels, hidden, num_classes=1000, dropout=0.2):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, channels, 32, 32, bias=False),
            nn.BatchNorm2d(channels),
            nn.Hardswish(inplace=True),
        )
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Linear(channels, hidden),
            nn.Hardswish(inplace=True),
            nn.Dropout(p=dropout, inplace=True),
            nn.Linear(hidden, num_classes),
        )

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))

def mobilenet_v2(weights=None, progress=True, **options):
    options.pop("pretrained", None)
    return MobileNetV2(**options)

def mobilenet_v3_large(weights=None, progress=True, **options):
    return MobileNetV3(960, 1280, options.get("num_classes", 1000))

def mobilenet_v3_small(weights=None, progress=True, **options):
    return MobileNetV3(576, 1024, options.get("num_classes", 1000))
