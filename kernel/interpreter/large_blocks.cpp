#include "kernel/interpreter/large_blocks.hpp"

#include <Python.h>

#include "messaging/large_text.hpp"

namespace kernel {
namespace {

// What Python's own allocators ask for more: everything over 512 bytes.
PyMemAllocatorEx raw;

void* advised(void* block, std::size_t bytes) {
    if (block) messaging::prefer_huge_pages(block, bytes);
    return block;
}

void* allocate(void* context, std::size_t bytes) { return advised(raw.malloc(context, bytes), bytes); }

void* allocate_zeroed(void* context, std::size_t count, std::size_t bytes) {
    return advised(raw.calloc(context, count, bytes), count * bytes);
}

void* reallocate(void* context, void* block, std::size_t bytes) {
    return advised(raw.realloc(context, block, bytes), bytes);
}

void release(void* context, void* block) { raw.free(context, block); }

}  // namespace

void prefer_huge_blocks() {
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &raw);
    PyMemAllocatorEx ours{raw.ctx, allocate, allocate_zeroed, reallocate, release};
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &ours);
}

}  // namespace kernel
