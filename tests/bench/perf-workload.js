// A busy program for making large perf.data files: what a server does all day, without a network.
//
//   node --perf-basic-prof perf-workload.js DATA MEGABYTES
//
// works until the file DATA has grown to MEGABYTES (1 = 1,000,000 bytes).
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const [data, megabytes] = process.argv.slice(2);
const bytes = Number(megabytes) * 1e6;

let state = 1 + process.pid;
function random(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 4294967296) * limit);
}

const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split(' ');
function makeOrder(id) {
  const lines = [];
  for (let i = 0; i < 3 + random(12); i++)
    lines.push({ article: `${words[random(words.length)]}-${random(1000)}`, price: random(9999), count: 1 + random(9) });
  return { id, customer: `customer ${random(500)}`, lines, note: words.slice(random(9)).join(' ') };
}

// Steps call each other along two routes, so that there are some ten thousand different stacks.
const routes = [];
for (let i = 0; i < 2; i++) routes.push(Array.from({ length: 14 }, () => random(10)));

const steps = [
  function parse(order, depth) {
    return walk(JSON.parse(JSON.stringify(order)), depth);
  },
  function match(order, depth) {
    for (const line of order.lines)
      if (/^([a-z]+)-(\d+)$/.exec(line.article)) line.family = line.article.replace(/-\d+$/, '');
    return walk(order, depth);
  },
  function sort(order, depth) {
    order.lines.sort(function byPrice(a, b) {
      return a.price - b.price || (a.article < b.article ? -1 : 1);
    });
    return walk(order, depth);
  },
  function sum(order, depth) {
    const total = order.lines.map((line) => line.price * line.count).reduce((a, b) => a + b, 0);
    return total + walk(order, depth);
  },
  function group(order, depth) {
    const families = new Map();
    order.lines.forEach(function add(line) {
      families.set(line.article, (families.get(line.article) || 0) + line.count);
    });
    return families.size + walk(order, depth);
  },
  function digest(order, depth) {
    const hash = crypto.createHash('sha256').update(order.customer.repeat(20)).digest('hex');
    return hash.length + walk(order, depth);
  },
  function render(order, depth) {
    let html = '';
    for (const line of order.lines) html += `<li>${encodeURIComponent(line.article)}: ${line.price.toFixed(2)}</li>`;
    return html.length + walk(order, depth);
  },
  function pack(order, depth) {
    return random(8) ? walk(order, depth) : zlib.deflateSync(JSON.stringify(order)).length + walk(order, depth);
  },
  function file(order, depth) {
    return random(8) ? walk(order, depth) : fs.readFileSync(__filename).length + walk(order, depth);
  },
  function join(order, depth) {
    return path.join('/srv', order.customer, '..', order.note).length + walk(order, depth);
  },
];

function walk(order, depth) {
  return depth > 0 ? steps[routes[order.id % routes.length][depth]](order, depth - 1) : order.id;
}

let total = 0;
function turn() {
  if (fs.statSync(data).size >= bytes) return;
  for (let i = 0; i < 2000; i++) total += walk(makeOrder(i), 13);
  setImmediate(turn);
}
turn();
