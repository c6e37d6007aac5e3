// A program for making large isolate logs: many functions calling each other along random paths.
// Every call goes through one table, so nothing is inlined and every frame stands in the log.
//
//   node --prof --logfile=LOG workload.js LOG FRAMES PATHS MEGABYTES [FUNCTIONS]
//
// walks PATHS different paths of FRAMES generated functions each, again and again, until LOG has
// grown to MEGABYTES (1 = 1,000,000 bytes).
'use strict';

const fs = require('fs');
const vm = require('vm');

const [log, frames, paths, megabytes, functions = '6000'] = process.argv.slice(2);
const count = Number(functions);
const bytes = Number(megabytes) * 1e6;
// The work at the end of a path outweighs the way there: most ticks see the whole path.
const turns = 400 * Number(frames);

const body = [];
for (let i = 0; i < count; i++) {
  body.push(
    `table[${i}] = function step_${i}(depth, seed) {\n` +
      `  const next = (Math.imul(seed, 1664525) + ${1013904223 + 2 * i}) >>> 0;\n` +
      `  if (depth > 0) return table[next % ${count}](depth - 1, next) + ${i % 7};\n` +
      `  let sum = 0;\n` +
      `  for (let k = 0; k < ${turns + (i % 50)}; k++) sum = (sum * 31 + (next ^ k)) | 0;\n` +
      `  return sum;\n` +
      `};`,
  );
}
const table = new Array(count);
vm.compileFunction(body.join('\n'), ['table'], { filename: '/srv/app/generated.js' })(table);

// FRAMES counts the generated functions alone; this file and Node's loader stand below them.
let walk = 0;
while (fs.statSync(log).size < bytes) {
  for (let i = 0; i < 1000; i++) {
    // The start decides the whole path. The factor spreads neighbouring numbers over the functions.
    const seed = Math.imul(walk++ % Number(paths), 2654435761) >>> 0;
    table[seed % count](Number(frames) - 1, seed);
  }
}
