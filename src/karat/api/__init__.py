"""The short calls that put the parts together."""

from karat.api.assess import assess

__all__ = ["assess"]
