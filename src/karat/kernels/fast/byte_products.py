"""64 products of bytes at once: the one instruction of AVX-512 VNNI that no loop is compiled to."""

from __future__ import annotations

from llvmlite import ir
from numba import config, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

VECTORS = 4  # of 16 training sets each
WIDE = 16 * VECTORS  # training sets side by side
AVAILABLE = "+avx512vnni" in cpu_target.target_context.codegen().magic_tuple()[2] and not config.DISABLE_JIT

_INT, _LONG, _DOUBLE = ir.IntType(32), ir.IntType(64), ir.DoubleType()
_LANES, _DOUBLES = ir.VectorType(_INT, 16), ir.VectorType(_DOUBLE, 16)


@intrinsic
def byte_dots(typingctx, counts, digits, plane, n_columns, n_digits, steps, quantum, out, row):
    """quantum[k] · Σ_s Σ_d 256^d Σ_{i<4} counts[s, b, i] · digits[k, d, s, i] of WIDE training sets b, to out[k].

    Addresses of `counts` (steps, WIDE, 4) uint8, `digits` (n_columns, n_digits, steps, 4) int8 with planes of `plane`
    bytes, `quantum` (n_columns,) and `out` (n_columns, WIDE) float64 with rows of `row` bytes. `n_columns` and
    `n_digits` are literals: VECTORS times their product accumulators stay in registers.
    """
    if not isinstance(n_columns, types.IntegerLiteral) or not isinstance(n_digits, types.IntegerLiteral):
        return None
    k_all, d_all, v_all = range(n_columns.literal_value), range(n_digits.literal_value), range(VECTORS)
    planes = range(len(k_all) * len(d_all))

    def codegen(context, builder, signature, args):
        counts, digits, plane, _, _, steps, quantum, out, row = args

        def pointer(kind, base, *offsets):
            for offset in offsets:
                base = builder.add(base, offset)
            return builder.inttoptr(base, kind.as_pointer())

        def times(value, number):
            return builder.mul(value, _LONG(number))

        def spread(value, lanes):
            one = builder.insert_element(ir.Constant(lanes, ir.Undefined), value, _INT(0))
            return builder.shuffle_vector(one, one, ir.Constant(_LANES, [0] * 16))

        multiply_add = builder.module.declare_intrinsic(
            "llvm.x86.avx512.vpdpbusd.512", (), ir.FunctionType(_LANES, [_LANES] * 3)
        )
        before = builder.block
        loop, after = (builder.function.append_basic_block(name) for name in ("loop", "after"))
        builder.branch(loop)
        builder.position_at_end(loop)
        step = builder.phi(_LONG)
        sums = [[builder.phi(_LANES) for _ in v_all] for _ in planes]
        drawn = [builder.load(pointer(_LANES, counts, times(step, 4 * WIDE), _LONG(64 * v)), align=1) for v in v_all]
        added = []
        for j in planes:
            four = builder.load(pointer(_INT, digits, times(plane, j), times(step, 4)), align=1)
            added.append([builder.call(multiply_add, [sums[j][v], drawn[v], spread(four, _LANES)]) for v in v_all])
        following = builder.add(step, _LONG(1))
        for phi, start, new in [(step, _LONG(0), following)] + [
            (sums[j][v], ir.Constant(_LANES, [0] * 16), added[j][v]) for j in planes for v in v_all
        ]:
            phi.add_incoming(start, before)
            phi.add_incoming(new, loop)
        builder.cbranch(builder.icmp_signed("<", following, steps), loop, after)
        builder.position_at_end(after)
        base = ir.Constant(_DOUBLES, [256.0] * 16)
        for k in k_all:
            unit = spread(builder.load(pointer(_DOUBLE, quantum, _LONG(8 * k)), align=8), _DOUBLES)
            of_column = added[k * len(d_all) : (k + 1) * len(d_all)]  # the lowest digit first
            for v in v_all:
                total = builder.sitofp(of_column[-1][v], _DOUBLES)
                for digit in reversed(of_column[:-1]):
                    total = builder.fadd(builder.fmul(total, base), builder.sitofp(digit[v], _DOUBLES))
                where = pointer(_DOUBLES, out, times(row, k), _LONG(128 * v))
                builder.store(builder.fmul(total, unit), where, align=8)
        return context.get_dummy_value()

    address, size = types.uintp, types.intp
    signature = types.void(address, address, size, n_columns, n_digits, size, address, address, size)
    return signature, codegen
