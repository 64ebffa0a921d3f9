"""`torch.func` and forward AD: functions of functions."""
