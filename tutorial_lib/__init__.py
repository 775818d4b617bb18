"""The Transformer encoder, learned by running it: what the lessons build and use. Start with `encoder.py`."""

from tutorial_lib.runtime import device, setup, t

__all__ = ["device", "setup", "t"]
