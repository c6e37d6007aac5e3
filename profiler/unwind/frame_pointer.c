// SPDX-License-Identifier: MIT
#include "profiler/unwind/frame_pointer.h"

#include <string.h>

/* A frame pointer this far above the copy is still one: stacks are 8 MiB by default. */
#define STACK_REACH ((uint64_t)8 * 1024 * 1024)

/* The number at `address`, which with its 8 bytes lies inside the copy. */
static uint64_t read_stack(const struct unwind_start *start, uint64_t address) {
    uint64_t number;
    memcpy(&number, start->stack.data + (address - start->stack_pointer), sizeof number);
    return start->swapped ? __builtin_bswap64(number) : number;
}

/* Whether the frame at `frame` is whole inside the copy. */
static bool is_inside(const struct architecture *architecture, const struct unwind_start *start,
                      uint64_t frame) {
    uint64_t size = start->stack.size;
    uint64_t needed = architecture->return_address + 8;
    return frame >= start->stack_pointer && size >= needed &&
           frame - start->stack_pointer <= size - needed;
}

struct unwind_end frame_pointer_walk(const struct architecture *architecture,
                                     const struct unwind_start *start, uint64_t *addresses,
                                     size_t limit) {
    struct unwind_end end = {0};
    uint64_t frame = start->frame_pointer;
    addresses[end.count++] = architecture_strip(architecture, start->instruction_pointer, false);
    while (frame % architecture->frame_alignment == 0 && is_inside(architecture, start, frame)) {
        uint64_t address = architecture_strip(
            architecture, read_stack(start, frame + architecture->return_address), false);
        /* The outermost frame is called by nobody. */
        if (!architecture_is_code(architecture, address))
            return end;
        if (end.count == limit) {
            end.truncated = true;
            return end;
        }
        addresses[end.count++] = address;
        uint64_t outer = read_stack(start, frame + architecture->saved_frame_pointer);
        if (outer <= frame)
            return end;
        frame = outer;
    }
    uint64_t top = start->stack_pointer + start->stack.size;
    end.truncated = end.count > 1 && frame % architecture->frame_alignment == 0 && frame >= top &&
                    frame - top < STACK_REACH;
    /* Not even one frame: a register may know the caller. */
    uint64_t link = architecture_strip(architecture, start->link_register, false);
    if (end.count == 1 && limit > 1 && architecture_is_code(architecture, link))
        addresses[end.count++] = link;
    return end;
}
