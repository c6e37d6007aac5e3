// Many kinds of functions, called in turn until the seconds of the argument have passed: what a name
// can come from. Prints "begun" once all of them have run.
'use strict';
const crypto = require('crypto');
const path = require('path');
const { pathToFileURL } = require('url');
const vm = require('vm');

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
const compareNumbers = (a, b) => a - b;
function sortNumbers() {
  const numbers = [];
  for (let i = 0; i < 3000; i++) numbers.push((i * 7919) % 10007);
  return numbers.sort(compareNumbers)[5];
}
function sortRecords() {
  const records = Array.from({ length: 400 }, (_, i) => ({ key: `key${(i * 31) % 401}`, value: i }));
  return records.sort(function byKey(a, b) { return a.key < b.key ? -1 : 1; }).map((record) => record.value).filter((value) => value % 2).length;
}
const side = 40;
const left = Array.from({ length: side }, (_, i) => Float64Array.from({ length: side }, (_, j) => i + j));
function multiply(a, b) {
  const result = [];
  for (let i = 0; i < side; i++) {
    const row = new Float64Array(side);
    for (let j = 0; j < side; j++) {
      let sum = 0;
      for (let k = 0; k < side; k++) sum += a[i][k] * b[k][j];
      row[j] = sum;
    }
    result.push(row);
  }
  return result;
}
const text = 'The quick brown fox, 12:34:56, jumps over 2026-12-01 and foo@example.org; '.repeat(100);
function matchText() {
  return text.replace(/(\d+):(\d+):(\d+)/g, (all, hours, minutes) => minutes + hours).match(/\b[a-z]+@[a-z.]+\b/g).length;
}
const document = JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ id: i, name: `name ${i}`, tags: ['a', 'b'], nested: { x: i / 3 } })));
function convertJson() {
  return JSON.stringify(JSON.parse(document, function revive(key, value) { return key === 'x' ? value * 2 : value; }), (key, value) => value, 1).length;
}
class Shape {
  #area = 0;
  static made = 0;
  static { Shape.scale = [1, 2, 3].reduce((sum, x) => sum + x, 0); }
  sides = this.countSides();
  constructor(size) {
    this.size = size;
    this.#area = this.#measure(size);
    for (let i = 0; i < 5; i++) Shape.made += Math.sqrt(i);
  }
  countSides() { let sides = 0; while (sides < 7) sides += 1; return sides; }
  #measure(size) { let area = 0; for (let i = 0; i < 30; i++) area += size * i % 7; return area; }
  get area() { let sum = this.#area; for (let i = 0; i < 20; i++) sum = (sum * 3 + i) % 1009; return sum; }
  set area(value) { let sum = value; for (let i = 0; i < 20; i++) sum = (sum * 5 + i) % 1009; this.#area = sum; }
  static unite(a, b) { let sum = 0; for (let i = 0; i < 20; i++) sum += (a.area * i + b.area) % 11; return sum; }
  ['computed' + 'Name'](x) { let sum = x; for (let i = 0; i < 20; i++) sum = (sum * 7 + i) % 1013; return sum; }
  *[Symbol.iterator]() { for (let i = 0; i < 5; i++) yield this.size + i; }
}
class Square extends Shape {
  constructor(size) { super(size); this.name = 'square' + size; }
  get area() { return super.area * 2; }
  set area(value) { super.area = value; }
  toString() { return `${this.name} ${this.area}`; }
}
function useClasses() {
  let sum = 0;
  for (let i = 0; i < 60; i++) {
    const square = new Square(i);
    square.area = i;
    sum += Shape.unite(square, new Shape(i)) + square.computedName(i) + String(square).length;
    for (const x of square) sum += x;
  }
  return sum;
}
function makeCounter(step) {
  let total = 0;
  return function count() { for (let i = 0; i < 50; i++) total = (total * 3 + step) % 65521; return total; };
}
const counters = Array.from({ length: 8 }, (_, i) => makeCounter(i + 1));
function useClosures() {
  let sum = 0;
  for (let i = 0; i < 20; i++) for (const counter of counters) sum += counter();
  return sum;
}
function* generateNumbers(n) { for (let i = 0; i < n; i++) yield (i * 37) % 101; }
function useGenerators() {
  let sum = 0;
  for (const x of generateNumbers(800)) sum += x;
  return sum;
}
async function awaitOne(x) { let sum = x; for (let i = 0; i < 40; i++) sum = (sum * 13 + i) % 4093; return sum; }
async function awaitMany() {
  let sum = 0;
  for (let i = 0; i < 60; i++) sum += await awaitOne(i);
  return sum + (await Promise.all([1, 2, 3].map(async (x) => awaitOne(x)))).length;
}
const evaluated = eval('(function inEval(x) { let sum = x; for (let i = 0; i < 3000; i++) sum = (sum * 16807 + 1) % 2147483647; return sum; })');
const constructed = new Function('x', 'let sum = x; for (let i = 0; i < 3000; i++) sum = (sum * 16807 + 2) % 2147483647; return sum;');
const inContext = vm.runInNewContext('(function inOtherContext(x) { let sum = x; for (let i = 0; i < 3000; i++) sum = (sum * 16807 + 3) % 2147483647; return sum; })', {}, 'other-context.js');
let serial = 0;
function coldCode() { // is compiled anew each time, so that it stays with the interpreter
  return eval(`(function cold${serial++ % 50}(x) { let sum = x; for (let i = 0; i < 200; i++) sum = (sum * 31 + ${serial}) % 65521; return sum; })`)(serial);
}
function recurse(depth, x) {
  return depth === 0 ? x : (recurse(depth - 1, x * 3 + 1) + depth) % 65521;
}
// Candidates for inlining: small, hot, one within the other.
const addOne = (x) => (x * 48271 + 1) % 2147483647;
function addTwice(x) { return addOne(addOne(x)); }
class Point { constructor(x, y) { this.x = x; this.y = y; } get sum() { return this.x + this.y; } moved(d) { return new Point(this.x + d, this.y - d); } }
function callSmall() {
  let x = 1;
  let point = new Point(1, 2);
  for (let i = 0; i < 20000; i++) { x = addTwice(x); point = point.moved(x & 7); }
  return x + point.sum;
}
const table = {
  méthode(x) { let sum = x; for (let i = 0; i < 2000; i++) sum = (sum * 31 + i) % 65521; return sum; },
  'with spaces; and more'(x) { let sum = x; for (let i = 0; i < 2000; i++) sum = (sum * 37 + i) % 65521; return sum; },
  '絵文字🙂': (x) => { let sum = x; for (let i = 0; i < 2000; i++) sum = (sum * 41 + i) % 65521; return sum; },
};
function useTable() { let sum = 0; for (const key of Object.keys(table)) sum += table[key](sum); return sum; }
function useMaps() {
  const map = new Map();
  for (let i = 0; i < 500; i++) map.set(`k${i % 50}`, i);
  let sum = 0;
  map.forEach((value, key) => { sum += value + key.length; });
  return sum + new Set([...map.values()].flatMap((x) => [x, x + 1])).size;
}
function useProxy() {
  const proxy = new Proxy({ a: 1 }, { get: function trap(target, key) { let sum = target.a; for (let i = 0; i < 50; i++) sum += i ^ key.length; return sum; } });
  let sum = 0;
  for (let i = 0; i < 50; i++) sum += proxy.abc;
  return sum;
}
function throwAndCatch() {
  let caught = 0;
  for (let i = 0; i < 20; i++) {
    try { (function thrower() { throw new RangeError('at ' + i); })(); } catch (error) { caught += error.stack.length; } finally { caught += 1; }
  }
  return caught;
}
const hash = () => crypto.createHash('sha256').update(document).digest('hex').length;
const bound = function boundTarget(x) { let sum = x; for (let i = 0; i < 2000; i++) sum = (sum * 43 + i) % 65521; return sum; }.bind(null, 5);
const tagged = (strings, ...values) => strings.raw.join('') + values.map((value) => value.toString(36)).join('-');
function useStrings() { let size = 0; for (let i = 0; i < 200; i++) size += tagged`a${i}b${i * 2}c`.split('-').join('+').length; return size; }

async function turn(module) {
  let sum = fib(19) + sortNumbers() + sortRecords() + multiply(left, left).length + matchText() + convertJson() + useClasses();
  sum += useClosures() + useGenerators() + (await awaitMany()) + evaluated(sum) + constructed(sum) + inContext(sum) + coldCode();
  sum += recurse(300, 1) + callSmall() + useTable() + useMaps() + useProxy() + throwAndCatch() + hash() + bound() + useStrings();
  return sum + module.moduleWork(5) + (await module.moduleAsync(3)) + new module.Counter(3).run();
}
async function main() {
  const end = Date.now() + 1000 * Number(process.argv[2] || 10);
  const module = await import(pathToFileURL(path.join(__dirname, 'cpu-module.mjs')).href);
  for (let i = 0; i < 5; i++) await turn(module);
  console.log('begun');
  let sum = 0;
  while (Date.now() < end) sum = (sum + (await turn(module))) % 1e9;
}
main();
