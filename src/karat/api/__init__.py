"""The short calls that put the parts together. One file a call; `karat.assess` is `karat.api.assess.assess`."""
