"""Vectors of 32 two-byte numbers, and one addition under a mask: what numba has no words for.

Plain LLVM vectors, so they run anywhere; where there is AVX-512 an addition is one instruction (vpcmpltub, vpaddw {k}).
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, models, register_model

LANES = 32
_BYTE, _TWO, _FOUR, _EIGHT = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64)
_BYTES, _NUMBERS = ir.VectorType(_BYTE, LANES), ir.VectorType(_TWO, LANES)
_BITS = ir.VectorType(ir.IntType(1), LANES)


def aligned(shape, kind):
    """Zeros that begin with a line of the cache, so that no vector lies across two."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    room = np.zeros(size + 64, np.uint8)
    first = -room.ctypes.data % 64
    return room[first : first + size].view(kind).reshape(shape)


class Numbers(types.Type):
    """32 numbers of two bytes."""


NUMBERS = Numbers("32 x int16")


@register_model(Numbers)
class _NumbersModel(models.PrimitiveModel):
    def __init__(self, manager, of):
        super().__init__(manager, of, _NUMBERS)


def _load(builder, data, at, vector, bytes_each):
    loaded = builder.load(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()))
    loaded.align = bytes_each
    return loaded


def _place(context, builder, array_type, array, row, column):
    """Where the number of a C-ordered table lies that stands in this row and column."""
    table = context.make_array(array_type)(context, builder, array)
    return builder.gep(table.data, [builder.add(builder.mul(row, builder.extract_value(table.shape, 1)), column)])


def _below(builder, row, limit):
    """32 bits: row < limit."""
    first = builder.insert_element(ir.Constant(_BYTES, ir.Undefined), limit, ir.Constant(_FOUR, 0))
    everywhere = ir.Constant(ir.VectorType(_FOUR, LANES), [0] * LANES)
    return builder.icmp_unsigned("<", row, builder.shuffle_vector(first, ir.Constant(_BYTES, ir.Undefined), everywhere))


def _add_where(builder, mask, sums, more):
    """sums + more where the mask is set, else sums. `vp.merge` is a choice that the optimiser does not take apart."""
    kind = ir.FunctionType(_NUMBERS, [_BITS, _NUMBERS, _NUMBERS, _FOUR])
    merge = get_or_insert_function(builder.module, kind, f"llvm.vp.merge.v{LANES}i16")
    return builder.call(merge, [mask, builder.add(sums, more), sums, ir.Constant(_FOUR, LANES)])


@intrinsic
def nothing(typing):
    """Thirty-two zeros."""
    return NUMBERS(), lambda context, builder, signature, args: ir.Constant(_NUMBERS, [0] * LANES)


@intrinsic
def add_pairs(typing, buckets, row, at, limit, nobody, before, left_out, sums):
    """sums + before where bucket < limit, + left_out where bucket < nobody; of the 32 from `at` on.

    `buckets` is a C-ordered uint8 table, `before` and `left_out` are one-dimensional int16 arrays without gaps. One
    word for all of it, since every word takes numba its time.
    """

    def code(context, builder, signature, args):
        buckets, row, at, limit, nobody, before, left_out, sums = args
        place = _place(context, builder, signature.args[0], buckets, row, at)
        mine = _load(builder, place, ir.Constant(_FOUR, 0), _BYTES, 1)
        for of, bound, weights in ((5, limit, before), (6, nobody, left_out)):
            data = context.make_array(signature.args[of])(context, builder, weights).data
            sums = _add_where(builder, _below(builder, mine, bound), sums, _load(builder, data, at, _NUMBERS, 2))
        return sums

    byte = types.uint8
    return NUMBERS(buckets, types.intp, types.intp, byte, byte, before, left_out, NUMBERS), code


@intrinsic
def ask_for(typing, table, row, column):
    """Have the memory bring table[row, column], a C-ordered array, while other work is done."""

    def code(context, builder, signature, args):
        at = _place(context, builder, signature.args[0], *args)
        kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _FOUR, _FOUR, _FOUR])
        prefetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(prefetch, [builder.bitcast(at, _BYTE.as_pointer()), *(ir.Constant(_FOUR, k) for k in (0, 3, 1))])
        return context.get_dummy_value()

    return types.none(table, types.intp, types.intp), code


@intrinsic
def add_up(typing, sums, to, at):
    """to[at] += the sum of all 32; `to` is a one-dimensional int64 array without gaps."""

    def code(context, builder, signature, args):
        sums, to, at = args
        pairs = ir.VectorType(_FOUR, LANES // 2)
        both, half = builder.bitcast(sums, pairs), ir.Constant(pairs, [16] * (LANES // 2))
        wide = builder.add(builder.ashr(both, half), builder.ashr(builder.shl(both, half), half))
        kind = ir.FunctionType(_FOUR, [pairs])
        reduce = get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.add.v{LANES // 2}i32")
        place = builder.gep(context.make_array(signature.args[1])(context, builder, to).data, [at])
        builder.store(builder.add(builder.load(place), builder.sext(builder.call(reduce, [wide]), _EIGHT)), place)
        return context.get_dummy_value()

    return types.none(NUMBERS, to, types.intp), code
