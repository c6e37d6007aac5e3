// SPDX-License-Identifier: MIT
/*
 * Reader of CPU profiles of V8 (`.cpuprofile`): what `node --cpu-prof`, Chrome DevTools and the
 * inspector's `Profiler.stop` write (type Profiler.Profile of the Chrome DevTools Protocol).
 *
 *     {"nodes": [{"id": 1, "callFrame": {"functionName", "url", "lineNumber", "columnNumber"},
 *                 "hitCount": 3, "children": [2]}, ...],
 *      "startTime": 0, "endTime": 10000, "samples": [1, 2, ...], "timeDeltas": [0, 1250, ...]}
 *
 * - Keys and nodes may come in any order; nodes name their children or, in other tools' files,
 *   their parent. The older form is read too: a tree of nodes below `head`, each with its function
 *   and its children inside. There lines count from 1; in a `callFrame` lines and columns count
 *   from 0, and -1 means that there is no place.
 * - With `samples` and `timeDeltas` the unit is microseconds. Sample i was taken at startTime plus
 *   the deltas 0 to i; the samples are put into the order of time, because V8 writes some with a
 *   negative delta; each lasts until the next one, as in DevTools, the last until endTime, or as
 *   long as the average without a usable endTime. Time before the first sample is nobody's.
 * - Otherwise (also in the older form, whose samples have no deltas) weights are the hit counts of
 *   the nodes and the unit is ticks; without those each sample is one tick.
 * - `(root)` is no frame. `(idle)` is idle time. `(program)` is native code outside any function.
 *   `(garbage collector)` is the collector; V8 puts it below the root, whatever it interrupted, and
 *   it stays there: nobody's time is guessed. A `RegExp: SOURCE` is a regular expression; other
 *   functions without a place are callbacks of Node in C++, such as `writev`.
 * - A stack of 257 nodes or more, the root included, was cut by V8 at its outer end: its root frame
 *   becomes `[truncated]`. Of one deeper than 1,024 frames, which is nothing that V8 has written,
 * the inner 513 to 1,024 are kept.
 *
 * Only one isolate's thread is in such a file; the samples are those of elapsed time, so waiting in
 * a synchronous call is in them. What is damaged is counted in warnings: ids that do not exist, two
 * nodes with one id, nodes with two parents, samples without a time, a file that ends early. Nodes
 * that are their own ancestors are an error, which names one of them.
 */
#ifndef TICKFLAME_FOLD_READ_CPUPROFILE_H
#define TICKFLAME_FOLD_READ_CPUPROFILE_H

#include "fold/model/reader.h"

/* Takes no options. Needs 12 bytes of memory a sample and about 100 a node, besides the profile. */
extern const struct reader cpuprofile_reader;

#endif
