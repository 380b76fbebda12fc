"""The short calls that put the parts together."""
