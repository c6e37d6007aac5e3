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
const cases = [
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
function run([call]) {
  const start = performance.now();
  x = call(100000, x) % 1000 + 1;
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
