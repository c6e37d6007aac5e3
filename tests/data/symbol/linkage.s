# SPDX-License-Identifier: MIT
# Calls of functions of other files. `make-shapes` builds the linkage-*.so beside it. Its function
# `outer` also reads the address of `close`, which gives that one an entry in .plt.got of x86-64.
        .text
        .globl outer
        .type outer, %function
outer:
        .ifdef ARM64
        bl      read
        bl      _ZN4node2fs4ReadEv
        bl      close
        .else
        call    read@PLT
        call    _ZN4node2fs4ReadEv@PLT
        call    close@PLT
        movq    close@GOTPCREL(%rip), %rax
        .endif
        .size outer, . - outer
