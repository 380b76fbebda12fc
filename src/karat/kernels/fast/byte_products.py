"""64 products of bytes at once: the one instruction of AVX-512 VNNI that no loop is compiled to."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

VECTORS = 4  # of 16 training sets each
WIDE = 16 * VECTORS  # training sets side by side
AVAILABLE = "+avx512vnni" in cpu_target.target_context.codegen().magic_tuple()[2]

_INT, _LONG, _DOUBLE = ir.IntType(32), ir.IntType(64), ir.DoubleType()
_LANES, _DOUBLES = ir.VectorType(_INT, 16), ir.VectorType(_DOUBLE, 16)


@intrinsic
def byte_dots(typingctx, counts, digits, plane, n_digits, steps, quantum, out):
    """quantum · Σ_s Σ_d 256^d Σ_{i<4} counts[s, b, i] · digits[d, s, i] of WIDE training sets b, written to `out`.

    Addresses of `counts` (steps, WIDE, 4) uint8, `digits` (n_digits, steps, 4) int8 with planes of `plane` bytes, and
    `out` (WIDE,) float64. `n_digits` is a literal: that many times VECTORS accumulators stay in registers.
    """
    if not isinstance(n_digits, types.IntegerLiteral):
        return None
    d_all = range(n_digits.literal_value)
    v_all = range(VECTORS)

    def codegen(context, builder, signature, args):
        counts, digits, plane, _, steps, quantum, out = args

        def at(base, *offsets):
            for offset in offsets:
                base = builder.add(base, offset if isinstance(offset, ir.Value) else _LONG(offset))
            return base

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
        sums = [[builder.phi(_LANES) for _ in v_all] for _ in d_all]
        drawn = []
        for v in v_all:
            where = at(counts, builder.mul(step, _LONG(4 * WIDE)), 64 * v)
            drawn.append(builder.load(builder.inttoptr(where, _LANES.as_pointer()), align=1))
        added = []
        for d in d_all:
            where = at(digits, builder.mul(plane, _LONG(d)), builder.mul(step, _LONG(4)))
            four = spread(builder.load(builder.inttoptr(where, _INT.as_pointer()), align=1), _LANES)
            added.append([builder.call(multiply_add, [sums[d][v], drawn[v], four]) for v in v_all])
        following = builder.add(step, _LONG(1))
        for phi, start, new in [(step, _LONG(0), following)] + [
            (sums[d][v], ir.Constant(_LANES, [0] * 16), added[d][v]) for d in d_all for v in v_all
        ]:
            phi.add_incoming(start, before)
            phi.add_incoming(new, loop)
        builder.cbranch(builder.icmp_signed("<", following, steps), loop, after)
        builder.position_at_end(after)
        base, unit = ir.Constant(_DOUBLES, [256.0] * 16), spread(quantum, _DOUBLES)
        for v in v_all:
            total = builder.sitofp(added[-1][v], _DOUBLES)
            for d in reversed(d_all[:-1]):
                total = builder.fadd(builder.fmul(total, base), builder.sitofp(added[d][v], _DOUBLES))
            where = builder.inttoptr(at(out, 128 * v), _DOUBLES.as_pointer())
            builder.store(builder.fmul(total, unit), where, align=8)
        return context.get_dummy_value()

    address = types.uintp
    return types.void(address, address, types.intp, n_digits, types.intp, types.float64, address), codegen
