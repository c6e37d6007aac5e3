// SPDX-License-Identifier: MIT
/*
 * Whether a test runs under the address sanitizer, which has its own ideas of memory limits:
 * IS_SANITIZED is 1 or 0, for gcc and clang.
 */
#ifndef TICKFLAME_TESTS_UNIT_SANITIZED_H
#define TICKFLAME_TESTS_UNIT_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#endif
