"""Batched engines: all replicates of a design at once, for models with a closed form.

An engine is one file with a function `engine(model, table)` that returns a `Batched` where it covers the
model's parameters, else None. What no engine covers goes the generic way, silently and correctly.
"""

from karat.fitting.batched.registry import find

__all__ = ["find"]
