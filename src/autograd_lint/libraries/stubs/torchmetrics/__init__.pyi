from torchmetrics.metric import Metric as Metric
