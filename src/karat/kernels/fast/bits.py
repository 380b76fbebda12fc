"""An instruction that numba has no name for: count the bits of a word."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic


@intrinsic
def count_bits(typing, word):
    """How many bits of a 64-bit word are set."""

    def code(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code
