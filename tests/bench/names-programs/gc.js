// Allocates all the time, short-lived and long-lived objects, so that V8 collects garbage and moves
// functions while they run; until the seconds of the argument have passed.
'use strict';
function makeNode(depth, i) {
  return depth === 0 ? { value: i, text: `leaf ${i}` } : { left: makeNode(depth - 1, 2 * i), right: makeNode(depth - 1, 2 * i + 1), visit: (x) => x + i };
}
function walkTree(node) {
  return node.visit ? node.visit(walkTree(node.left) + walkTree(node.right)) : node.value;
}
function growStrings() {
  const parts = [];
  for (let i = 0; i < 2000; i++) parts.push(`part ${i}`.repeat(3));
  return parts.join(',').split(',').length;
}
function churnMaps(kept) {
  for (let i = 0; i < 2000; i++) kept.set((Math.random() * 50000) | 0, { a: i, b: [i, i + 1], c: () => i });
  let sum = 0;
  for (const [key, value] of kept) sum += key + value.c();
  if (kept.size > 40000) kept.clear();
  return sum;
}
function copyArrays() {
  let list = [];
  for (let i = 0; i < 200; i++) list = [...list.slice(-500), i, { i }];
  return list.map((x) => ({ x })).filter(({ x }) => typeof x === 'object').length;
}
const end = Date.now() + 1000 * Number(process.argv[2] || 10);
const kept = new Map();
let sum = 0;
for (let turn = 0; Date.now() < end; turn++) {
  sum += walkTree(makeNode(12, 1)) + growStrings() + churnMaps(kept) + copyArrays();
  if (turn === 5) console.log('begun');
}
