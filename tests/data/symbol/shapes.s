# SPDX-License-Identifier: MIT
# One function of each shape that symbol tables hold. `make-shapes` builds the files beside it.
        .text
        .macro function name, size
        .type \name, @function
\name:  .skip \size, 0x90
        .size \name, \size
        .endm

# Five names of one function.
        .globl read_file, _read_file
        .weak read_it
        .type read_file, @function
        .type _read_file, @function
        .type read_it, @function
        .type __GI_read_file, @function
        .type r, @function
read_file:
_read_file:
read_it:
__GI_read_file:
r:
        .skip 48, 0x90
        .size read_file, 48
        .size _read_file, 48
        .size read_it, 48
        .size __GI_read_file, 48
        .size r, 48

# A function inside of another one, and a label that is none.
        .globl outer
        .type outer, @function
outer:  .skip 16, 0x90
        function inner, 16
label_inside:
        .skip 32, 0x90
        .size outer, 64

# Two sizes at one start.
        .globl whole
        .type whole, @function
        .type part, @function
whole:
part:   .skip 16, 0x90
        .size part, 16
        .skip 16, 0x90
        .size whole, 32

# Nothing belongs to this gap.
        .skip 16, 0x90

# No size: up to the next one.
        .globl handwritten
        .type handwritten, @function
handwritten:
        .skip 24, 0x90
$mark:  .skip 8, 0x90
        .globl notype
notype: .skip 32, 0x90

# C++: two constructors at one address, a template with a return type, the cold part of a function.
        .globl _ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE
        function _ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE, 16
        function _ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE.cold, 16
        .weak _ZN5ShapeC1Ei, _ZN5ShapeC2Ei, _Z5twiceIiET_S0_
        .type _ZN5ShapeC2Ei, @function
        .set _ZN5ShapeC2Ei, _ZN5ShapeC1Ei
        function _ZN5ShapeC1Ei, 16
        .size _ZN5ShapeC2Ei, 16
        function _Z5twiceIiET_S0_, 16
# Rust, both ways of mangling.
        function _RNvCs1234_7mycrate3foo, 16
        function _ZN4core3fmt5write17h0123456789abcdefE, 16

# Chosen by the dynamic linker; two versions.
        .globl pick
        .type pick, @gnu_indirect_function
pick:   .skip 16, 0x90
        .size pick, 16
        .globl old_open, new_open
        function old_open, 16
        function new_open, 16
        .symver old_open, open_it@SHAPES_1
        .symver new_open, open_it@@SHAPES_2

# No size and nothing behind it: up to the end of the section.
        .globl final
        .type final, @function
final:  .skip 16, 0x90

        .section .text.far, "ax", @progbits
        .globl far
        function far, 16

# Not functions.
        .data
        .globl variable
        .type variable, @object
variable:
        .quad 0
        .size variable, 8
        .globl in_data
        .type in_data, @function
in_data: .quad 0
        .size in_data, 8
