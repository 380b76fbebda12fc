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
_BYTE, _TWO, _FOUR = ir.IntType(8), ir.IntType(16), ir.IntType(32)
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


class Mask(types.Type):
    """32 bits."""


NUMBERS, MASK = Numbers("32 x int16"), Mask("32 x bool")


@register_model(Numbers)
class _NumbersModel(models.PrimitiveModel):
    def __init__(self, manager, of):
        super().__init__(manager, of, _NUMBERS)


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, of):
        super().__init__(manager, of, _BITS)


def _load(context, builder, array_type, array, at, vector, bytes_each):
    data = context.make_array(array_type)(context, builder, array).data
    loaded = builder.load(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()))
    loaded.align = bytes_each
    return loaded


@intrinsic
def nothing(typing):
    """Thirty-two zeros."""
    return NUMBERS(), lambda context, builder, signature, args: ir.Constant(_NUMBERS, [0] * LANES)


@intrinsic
def numbers(typing, table, at):
    """table[at : at + 32], a one-dimensional int16 array without gaps."""

    def code(context, builder, signature, args):
        return _load(context, builder, signature.args[0], *args, _NUMBERS, 2)

    return NUMBERS(table, types.intp), code


@intrinsic
def below(typing, table, at, limit):
    """table[at : at + 32] < limit, a one-dimensional uint8 array without gaps."""

    def code(context, builder, signature, args):
        row = _load(context, builder, signature.args[0], *args[:2], _BYTES, 1)
        first = builder.insert_element(ir.Constant(_BYTES, ir.Undefined), args[2], ir.Constant(_FOUR, 0))
        everywhere = ir.Constant(ir.VectorType(_FOUR, LANES), [0] * LANES)
        limits = builder.shuffle_vector(first, ir.Constant(_BYTES, ir.Undefined), everywhere)
        return builder.icmp_unsigned("<", row, limits)

    return MASK(table, types.intp, types.uint8), code


@intrinsic
def ask_for(typing, table, row, column):
    """Have the memory bring table[row, column], a C-ordered array, while other work is done."""

    def code(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        across = builder.extract_value(array.shape, 1)
        at = builder.gep(array.data, [builder.add(builder.mul(args[1], across), args[2])])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), number, number, number])
        prefetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(
            prefetch, [builder.bitcast(at, ir.IntType(8).as_pointer()), *(ir.Constant(number, k) for k in (0, 3, 1))]
        )
        return context.get_dummy_value()

    return types.none(table, types.intp, types.intp), code


@intrinsic
def add_where(typing, mask, sums, more):
    """sums + more where the mask is set, else sums. `vp.merge` is a choice that the optimiser does not take apart."""

    def code(context, builder, signature, args):
        mask, sums, more = args
        kind = ir.FunctionType(_NUMBERS, [_BITS, _NUMBERS, _NUMBERS, _FOUR])
        merge = get_or_insert_function(builder.module, kind, f"llvm.vp.merge.v{LANES}i16")
        return builder.call(merge, [mask, builder.add(sums, more), sums, ir.Constant(_FOUR, LANES)])

    return NUMBERS(MASK, NUMBERS, NUMBERS), code


@intrinsic
def add_up(typing, sums):
    """The sum of all 32, with four bytes."""

    def code(context, builder, signature, args):
        pairs = ir.VectorType(_FOUR, LANES // 2)
        both, half = builder.bitcast(args[0], pairs), ir.Constant(pairs, [16] * (LANES // 2))
        wide = builder.add(builder.ashr(both, half), builder.ashr(builder.shl(both, half), half))
        kind = ir.FunctionType(_FOUR, [pairs])
        reduce = get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.add.v{LANES // 2}i32")
        return builder.sext(builder.call(reduce, [wide]), ir.IntType(64))

    return types.int64(NUMBERS), code
