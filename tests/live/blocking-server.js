// A server that the live cases and tests/bench/stacks sample: a handler for each call that blocks,
// so that the caller to find is known. It prints its address.
//
// GET /NAME runs the handler once, ?ms=N again and again for so long. Without the add-on's binary
// the answer is 501. GET /measured gives the longest turns of the event loop as measured here, in
// which only handlers ran: [{ms, calls: [NAME...]}].
'use strict';
const childProcess = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const path = require('path');
const zlib = require('zlib');
const { performance } = require('perf_hooks');

const packages = path.join(__dirname, '..', 'lib', 'addons', 'node_modules');

function load(name) {
  try {
    return require(path.join(packages, name));
  } catch {
    return null;
  }
}

const bcrypt = load('bcrypt');
const bcryptHash = bcrypt && bcrypt.hashSync('secret', 8);

function openDatabase() {
  const Database = load('better-sqlite3');
  const major = process.versions.node.split('.')[0];
  const nativeBinding = path.join(packages, 'better-sqlite3', 'build', `node${major}.node`);
  if (!Database || !fs.existsSync(nativeBinding)) return null;
  const database = new Database(':memory:', { nativeBinding });
  database.exec('CREATE TABLE item (name TEXT, price REAL)');
  const insert = database.prepare('INSERT INTO item VALUES (?, ?)');
  database.transaction(() => {
    for (let i = 0; i < 20000; i++) insert.run(`item ${(i * 7919) % 20000}`, i % 977);
  })();
  return database.prepare('SELECT name, price FROM item WHERE name LIKE ? ORDER BY price, name LIMIT 100');
}

const query = openDatabase();
const sharp = load('sharp');
const text = Buffer.alloc(400000, fs.readFileSync(__filename));
// Where the disk is, rather than memory.
const written = path.join(process.cwd(), `blocking-server-${process.pid}.tmp`);

function handleCompare() {
  return bcrypt.compareSync('secret', bcryptHash);
}

function handleQuery() {
  return query.all('%9%').length;
}

function handlePbkdf2() {
  return crypto.pbkdf2Sync('secret', 'salt', 10000, 32, 'sha512').length;
}

function handleScrypt() {
  return crypto.scryptSync('secret', 'salt', 32).length;
}

function handleGzip() {
  return zlib.gzipSync(text).length;
}

function handleRead() {
  return fs.readFileSync(process.execPath).length;
}

function handleExec() {
  childProcess.execSync('sleep 0.2');
}

function handleSleep() {
  childProcess.execSync('sleep 1');
}

function handleBusy() {
  const end = performance.now() + 200;
  let sum = 0;
  while (performance.now() < end) sum += Math.cbrt(sum + 1);
  return sum;
}

function handleFsync() {
  const file = fs.openSync(written, 'w');
  for (let i = 0; i < 20; i++) {
    fs.writeSync(file, text);
    fs.fsyncSync(file);
  }
  fs.closeSync(file);
  fs.unlinkSync(written);
}

function handleImage() {
  const source = { create: { width: 1500, height: 1500, channels: 3, background: '#6080a0' } };
  return sharp(source).blur(4).sharpen().jpeg().toBuffer();
}

const handlers = {
  compare: bcrypt && handleCompare,
  query: query && handleQuery,
  pbkdf2: handlePbkdf2,
  scrypt: handleScrypt,
  gzip: handleGzip,
  read: handleRead,
  exec: handleExec,
  sleep: handleSleep,
  busy: handleBusy,
  fsync: handleFsync,
  image: sharp && handleImage,
};

// The calls that follow one another without a return to the event loop in between.
const turns = [];
let turn = null;

function beginTurn(name) {
  if (!turn) {
    turn = { start: performance.now(), end: 0, calls: [] };
    setImmediate(() => {
      if (turn.end) turns.push({ ms: turn.end - turn.start, calls: turn.calls });
      turn = null;
    });
  }
  turn.calls.push(name);
}

// A place that calls several functions; a handler that is the only one would be inlined, and its name lost.
function run(handler) {
  return handler();
}
const others = [() => 1, () => 2, () => 3, () => 4, () => 5, () => 6];
for (let i = 0; i < 3000; i++) run(others[i % others.length]);

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const name = url.pathname.slice(1);
  if (name === 'measured') {
    response.end(JSON.stringify(turns.sort((a, b) => b.ms - a.ms).slice(0, 20)));
    return;
  }
  const handler = handlers[name];
  if (!handler) {
    response.statusCode = name in handlers ? 501 : 404;
    response.end();
    return;
  }
  const end = performance.now() + Number(url.searchParams.get('ms') || 0);
  beginTurn(name);
  do {
    const result = run(handler);
    if (result instanceof Promise) await result;
  } while (performance.now() < end);
  if (turn) turn.end = performance.now();
  response.end(`${name}\n`);
}

const server = http.createServer(answer);
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
