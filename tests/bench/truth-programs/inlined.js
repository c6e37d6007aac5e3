// Functions that V8 expands into their callers, and whose share is known: the same arithmetic, each step
// of which waits for the one before, is done in the caller and in what is expanded, so that time goes as
// the number of steps. Prints as JSON: for each caller, its milliseconds in each round, and of its steps
// those of each function.
'use strict';
const { performance } = require('perf_hooks');

const handlers = [1, 2, 3, 4, 5, 6].map((k) => new Function('n', 'x', `for (let i = n; i > 0; i--) x = (x * 16807 + ${k}) % 2147483647; return x;`));

// A loop of its own within what is expanded.
function expandedLoop(n, x) { for (let i = n; i > 0; i--) x = (x * 16807 + 11) % 2147483647; return x; }
function ownThenExpanded(n, x) {
  for (let i = 3 * n; i > 0; i--) x = (x * 16807 + 12) % 2147483647;
  return expandedLoop(n, x);
}
function secondLoop(n, x) { for (let i = 3 * n; i > 0; i--) x = (x * 16807 + 13) % 2147483647; return x; }
function expandedThenOwn(n, x) {
  x = secondLoop(n, x);
  for (let i = n; i > 0; i--) x = (x * 16807 + 14) % 2147483647;
  return x;
}
// Steps one by one within the caller's loop, two deep.
function oneStep(x) { return (x * 16807 + 15) % 2147483647; }
function threeSteps(x) { return oneStep(oneStep(oneStep(x))); }
function stepByStep(n, x) {
  for (let i = n; i > 0; i--) {
    x = (x * 16807 + 16) % 2147483647;
    x = threeSteps(x);
  }
  return x;
}
// What is expanded calls what is not: of all time only the callees have some.
let turn = 0;
function expandedCaller(n, x) { return handlers[turn++ % 6](n, x); }
function otherExpandedCaller(n, x) { return handlers[turn++ % 6](3 * n, x); }
function callsThroughExpanded(n, x) {
  return otherExpandedCaller(n, expandedCaller(n, x));
}
// A method, a getter and a callback.
class Amount {
  constructor(x) { this.x = x; }
  get doubled() { let x = this.x; for (let i = 500; i > 0; i--) x = (x * 16807 + 17) % 2147483647; return x; }
  added(n) { let x = this.x; for (let i = n; i > 0; i--) x = (x * 16807 + 18) % 2147483647; return x; }
}
function useMembers(n, x) {
  const amount = new Amount(x);
  let sum = 0;
  for (let i = 0; i < n / 1000; i++) { amount.x = (sum + i) % 1000; sum = (sum + amount.doubled + amount.added(1500)) % 65521; }
  return sum;
}
// Arithmetic that cannot fail: nothing in its code has a place in the source to go by.
function integerStep(x) { return (Math.imul(x, 33) + 21) | 0; }
function integerSteps(x) { return integerStep(integerStep(integerStep(x))); }
function integers(n, x) {
  for (let i = n; i > 0; i--) {
    x = (Math.imul(x, 33) + 22) | 0;
    x = integerSteps(x);
  }
  return x & 0xffff;
}
function floatStep(x) { return Math.sqrt(x + 3.25); }
function floats(n, x) {
  for (let i = n / 4; i > 0; i--) {
    x = floatStep(x);
    x = Math.sqrt(Math.sqrt(Math.sqrt(x + 1.5) + 2.5) + 3.5);
  }
  return x;
}
// Strings, typed arrays and fields.
const words = [1, 2, 3].map((i) => Buffer.from(`a word that is long enough for a loop, ${i}, and is hashed again and again`.repeat(4)).toString());
function hashWord(text) { let hash = 7; for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0; return hash; }
function hashes(n) {
  let sum = 0;
  for (let turn = Math.floor(n / 500); turn > 0; turn--) {
    const word = words[turn % 3];
    for (let again = 0; again < 3; again++) {
      let hash = 5;
      for (let i = 0; i < word.length; i++) hash = (Math.imul(hash, 31) + word.charCodeAt(i)) | 0;
      sum = (sum + hash) & 0xffff;
    }
    sum = (sum + hashWord(word)) & 0xffff;
  }
  return sum;
}
const numbers = Float64Array.from({ length: 1000 }, (_, i) => i / 7);
function sumNumbers(list) { let sum = 0; for (let i = 0; i < list.length; i++) sum = sum * 0.5 + list[i]; return sum; }
function sums(n) {
  let sum = 0;
  for (let turn = n / 1000; turn > 0; turn--) {
    let own = 0;
    for (let i = 0; i < numbers.length; i++) own = own * 0.5 + numbers[i];
    sum = (sum + own + sumNumbers(numbers) + sumNumbers(numbers) + sumNumbers(numbers)) % 65521;
  }
  return sum;
}
const cases = [
  [integers, { integers: 1, integerStep: 3 }, 15],
  [floats, { floats: 3, floatStep: 1 }, 10],
  [hashes, { hashes: 3, hashWord: 1 }, 20],
  [sums, { sums: 1, sumNumbers: 3 }, 10],
  [ownThenExpanded, { ownThenExpanded: 3, expandedLoop: 1 }],
  [expandedThenOwn, { expandedThenOwn: 1, secondLoop: 3 }],
  [stepByStep, { stepByStep: 1, oneStep: 3 }],
  [callsThroughExpanded, { 'expandedCaller > (anonymous)': 1, 'otherExpandedCaller > (anonymous)': 3 }],
  [useMembers, { 'get doubled': 1, added: 3 }],
];
const times = {};
let round = 0;
let x = 1;
// One place of call for all of them: too many to be expanded there.
function run([call, , more = 1]) {
  const start = performance.now();
  x = (call(100000 * more, x) | 0) % 1000 + 1000;
  const row = (times[call.name] = times[call.name] || []);
  row[round] = (row[round] || 0) + performance.now() - start;
}
const warm = Date.now() + 1500;
while (Date.now() < warm) for (const one of cases) run(one);
for (const name of Object.keys(times)) delete times[name];
console.log('begun');
const end = Date.now() + 1000 * Number(process.argv[2] || 10);
for (; Date.now() < end; round++) for (const one of cases) run(one);
console.log(JSON.stringify({ times, steps: Object.fromEntries(cases.map(([call, steps]) => [call.name, steps])) }));
