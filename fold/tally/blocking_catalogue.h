// SPDX-License-Identifier: MIT
/*
 * The catalogue of calls that hold the event loop: data, and the search in it.
 *
 * A row says where a function stands (a module of Node core, or an npm package) and how it is
 * named; nothing is matched by name alone. Adding a call is adding a row.
 */
#ifndef TICKFLAME_FOLD_TALLY_BLOCKING_CATALOGUE_H
#define TICKFLAME_FOLD_TALLY_BLOCKING_CATALOGUE_H

#include "fold/tally/blocking.h"

/* One row: constants of the program. */
struct blocking_rule {
    const char *package; /* npm package; NULL: a module of Node core, or native code */
    const char *place;   /* core: the module, or its start when it ends in `/`; package: the end of
                            the file's path; NULL = any */
    const char *name;    /* the bare name; `*Sync`: any that ends so; NULL = any. Of native code:
                            what stands in its name (and `place` too, where it is given) */
    struct blocking_call_kind kind; /* `call` may be BLOCKING_OWN_NAME */
};

/* What `kind.call` says where each function is reported under its own bare name. */
#define BLOCKING_OWN_NAME "synchronous call"

/* The row for a function, or NULL. Rows for single names come before rows for `*Sync`. */
const struct blocking_rule *blocking_catalogue_find(const struct profile *profile,
                                                    const struct function *function);

/*
 * The row for a function of node's C++ that does a call's work, or NULL. It stands for the call
 * only below JavaScript; elsewhere the work was moved to a thread.
 */
const struct blocking_rule *blocking_binding_find(const struct profile *profile,
                                                  const struct function *function);

/* How libuv does what a function of fs asks for: a function that starts it, and those within that
 * do it at once. What else is within prepares it, or hands it to a thread. */
enum file_step { FILE_OTHER, FILE_REQUEST, FILE_DONE };
enum file_step blocking_file_step(const struct profile *profile, const struct function *function);

/* A file request below JavaScript that is done at once. */
extern const struct blocking_call_kind blocking_file_call;

/* The kind of a `*Sync` function of a package that is not in the catalogue, or NULL. */
const struct blocking_call_kind *blocking_by_name(const struct profile *profile,
                                                  const struct function *function);

/* The part of a function's name behind the last `.`: V8 names a function after the property that it
 * was assigned to (`bcrypt.compareSync`). */
struct text function_bare_name(const struct profile *profile, const struct function *function);

/* Whether code below this function is the loading of modules. */
bool function_loads_modules(const struct profile *profile, const struct function *function);

/* A lazy `require`: module loading below a function of the application. */
extern const struct blocking_call_kind blocking_require;

/* Tables of the catalogue (blocking_core.c, blocking_packages.c, blocking_bindings.c). */
struct blocking_table {
    const struct blocking_rule *rules;
    size_t size;
};
extern const struct blocking_table blocking_core_table;
extern const struct blocking_table blocking_package_table;
extern const struct blocking_table blocking_native_table;
extern const struct blocking_table blocking_binding_table;

#endif
