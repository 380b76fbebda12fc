"""Two instructions that numba has no name for: compare 64 numbers at once, and count the bits of a word."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def below_mask(typing, table, row, threshold):
    """Bit l of the answer is table[row, l] < threshold, l = 0 … 63, of a table (…, 64) of unsigned numbers."""

    def code(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        zero = context.get_constant(types.uint64, 0)
        first = cgutils.get_item_pointer(
            context, builder, signature.args[0], array, [args[1], zero], wraparound=False, boundscheck=False
        )
        vector = ir.VectorType(context.get_value_type(signature.args[2]), 64)
        values = builder.load(builder.bitcast(first, vector.as_pointer()), align=2)
        undefined = ir.Constant(vector, ir.Undefined)
        one = builder.insert_element(undefined, args[2], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        limits = builder.shuffle_vector(one, undefined, everywhere)
        return builder.bitcast(builder.icmp_unsigned("<", values, limits), ir.IntType(64))

    return types.uint64(table, types.uint64, table.dtype), code


@intrinsic
def count_bits(typing, word):
    """How many bits of a 64-bit word are set."""

    def code(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code
