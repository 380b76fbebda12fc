"""The short calls that put the parts together. One file a call; `trueness.assess` is `trueness.api.assess.assess`."""
