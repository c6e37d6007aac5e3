// Functions whose time is known: each call is timed by its caller, and takes some milliseconds, so that
// the clock costs nothing. Runs for the seconds of the argument in rounds of random order, then prints
// as JSON what it measured: for each pair "caller > callee" its milliseconds in each round.
'use strict';
const { performance } = require('perf_hooks');

// Too long to be expanded into a caller: nothing but what its name says is on top of the stack.
function long(name, statements) {
  return `function ${name}(n, x) { for (let i = n; i > 0; i--) { ${statements.repeat(120)} } return x; }`;
}
const source = [
  long('spinNumbers', 'x = (x * 16807 + 1) % 2147483647; '),
  long('spinFloats', 'x = Math.sqrt(x * 3.7 + 1.5) + 0.25; '),
  long('spinBits', 'x = (x ^ (x << 5) ^ (x >>> 7)) + 11 | 0; '),
].join('\n');
const { spinNumbers, spinFloats, spinBits } = new Function(`${source}; return { spinNumbers, spinFloats, spinBits };`)();

const pairs = {};
function timed(pair, start) {
  const length = performance.now() - start;
  const row = (pairs[pair] = pairs[pair] || []);
  row[round] = (row[round] || 0) + length;
}
let round = 0;
let sum = 1;
// Callers: each calls one or two of them, in its own proportion.
function callFew() {
  let start = performance.now();
  sum = spinNumbers(1000, sum % 1000 + 1);
  timed('callFew > spinNumbers', start);
  start = performance.now();
  sum += spinFloats(600, 2);
  timed('callFew > spinFloats', start);
}
function callMany() {
  let start = performance.now();
  sum = spinNumbers(3000, sum % 1000 + 1);
  timed('callMany > spinNumbers', start);
  start = performance.now();
  sum += spinBits(2000, 3);
  timed('callMany > spinBits', start);
}
const callBits = () => {
  const start = performance.now();
  sum += spinBits(6000, 5);
  timed('callBits > spinBits', start);
};
class Caller {
  #amount = 1500;
  get result() {
    const start = performance.now();
    const x = spinFloats(this.#amount, 7);
    timed('get result > spinFloats', start);
    return x;
  }
}
const caller = new Caller();
const records = Array.from({ length: 3000 }, (_, i) => ({ key: (i * 7919) % 10007 }));
function sortRecords() {
  const start = performance.now();
  const copy = records.slice();
  copy.sort(function compareRecords(a, b) { return a.key - b.key; });
  timed('sortRecords', start);
  return copy[0].key;
}
const text = JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ id: i, name: `name ${i}`, list: [i, i / 2] })));
function parseText() {
  const start = performance.now();
  sum += JSON.parse(text).length;
  timed('parseText', start);
}
function recurse(depth) {
  if (depth > 0) return recurse(depth - 1) + 1;
  const start = performance.now();
  sum += spinNumbers(1200, 9);
  timed('recurse > spinNumbers', start);
  return 0;
}
const calls = [callFew, callMany, callBits, () => { sum += caller.result; }, sortRecords, parseText, () => { sum += recurse(30); }];
const warm = Date.now() + 1500;
while (Date.now() < warm) for (const call of calls) call();
for (const pair of Object.keys(pairs)) delete pairs[pair];
console.log('begun');
const end = Date.now() + 1000 * Number(process.argv[2] || 10);
for (; Date.now() < end; round++) {
  // Another order each time, so that none keeps step with a clock.
  for (let i = calls.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [calls[i], calls[j]] = [calls[j], calls[i]];
  }
  for (const call of calls) call();
}
console.log(JSON.stringify(pairs));
