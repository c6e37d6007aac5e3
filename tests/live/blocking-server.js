// A server whose every route makes one kind of call that blocks the event loop, from a handler of its
// own, so that the caller of each call is known. The arguments name the routes that are served:
//
//   node blocking-server.js compare pbkdf2
//
// prints its URL. A response tells when its handler ran and how long, as the process itself saw it:
// "ROUTE START LENGTH", in milliseconds of CLOCK_MONOTONIC. The answer of /turns tells the same of the
// turns of the event loop in which handlers ran: which, and from the start of the first to the turn's end.
// ADDONS is the folder that holds the packages (tests/lib/addons/node_modules).
'use strict';
const childProcess = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const { performance } = require('perf_hooks');
const zlib = require('zlib');

function addon(name) {
  return require(path.join(process.env.ADDONS, name));
}

const text = Buffer.from(Array.from({ length: 40000 }, (_, i) => `${(i * 7919) % 10007} line of text ${i % 97}\n`).join(''));
const scratch = path.join(process.env.SCRATCH || os.tmpdir(), `blocking-server-${process.pid}`);
let bcrypt, stored, query, sharp, picture;

function handleCompare() {
  bcrypt.compareSync('correct horse', stored);
}
function handlePbkdf2() {
  crypto.pbkdf2Sync('correct horse', 'salt', 20000, 64, 'sha512');
}
function handleScrypt() {
  crypto.scryptSync('correct horse', 'salt', 64, { N: 8192 });
}
function handleGzip() {
  zlib.gzipSync(text);
}
function handleQuery() {
  query.all('%9%');
}
function handleImage(done) {
  sharp(picture).resize(320, 240).sharpen().jpeg().toBuffer().then(done, done);
}
function handleExec() {
  childProcess.execSync('sleep 0.2');
}
function handleExecLong() {
  childProcess.execSync('sleep 1');
}
function handleBusy() {
  for (const end = performance.now() + 200; performance.now() < end;);
}
function handleRead() {
  fs.readFileSync(scratch);
}
function handleFifo() {
  fs.readFileSync(process.env.FIFO);
}
function handleFsync() {
  const file = fs.openSync(scratch, 'w');
  for (let i = 0; i < 20; i++) {
    fs.writeSync(file, text);
    fs.fsyncSync(file);
  }
  fs.closeSync(file);
}
function handleNothing() {}

// What routes need before they can be served.
const prepare = {
  compare() {
    bcrypt = addon('bcrypt');
    stored = bcrypt.hashSync('correct horse', 8);
  },
  query() {
    const major = process.versions.node.split('.')[0];
    const nativeBinding = path.join(process.env.ADDONS, `better-sqlite3/build/node${major}/better_sqlite3.node`);
    const database = new (addon('better-sqlite3'))(':memory:', { nativeBinding });
    database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, price REAL)');
    const insert = database.prepare('INSERT INTO orders (customer, price) VALUES (?, ?)');
    database.transaction(() => {
      for (let i = 0; i < 80000; i++) insert.run(`customer ${(i * 7919) % 10007}`, i / 7);
    })();
    query = database.prepare('SELECT customer, sum(price) AS total FROM orders WHERE customer LIKE ? GROUP BY customer ORDER BY total DESC LIMIT 500');
  },
  image() {
    sharp = addon('sharp');
    picture = Buffer.alloc(1600 * 1200 * 3);
    for (let i = 0; i < picture.length; i++) picture[i] = (i * 31 + (i >> 9)) & 255;
    sharp(picture, { raw: { width: 1600, height: 1200, channels: 3 } }).png({ compressionLevel: 1 }).toBuffer().then((png) => (picture = png));
  },
  read: () => fs.writeFileSync(scratch, Buffer.concat(Array(20).fill(text))),
};
const handlers = {
  compare: handleCompare,
  pbkdf2: handlePbkdf2,
  scrypt: handleScrypt,
  gzip: handleGzip,
  query: handleQuery,
  image: handleImage,
  exec: handleExec,
  'exec-long': handleExecLong,
  busy: handleBusy,
  read: handleRead,
  fifo: handleFifo,
  fsync: handleFsync,
  nothing: handleNothing,
};

function call(handler, done) {
  handler(done);
}
// After many calls of different ones V8 does not expand a handler into its caller: each keeps a frame.
const others = [() => 1, () => 2, () => 3, () => 4, () => 5, () => 6];
for (let i = 0; i < 3000; i++) call(others[i % others.length]);

const turns = [];
let turn = { calls: [] };

// Immediates run when all that a turn found to do is done.
function endTurn() {
  turns.push(`${turn.calls.join('+')} ${(turn.start + monotonic).toFixed(3)} ${(performance.now() - turn.start).toFixed(3)}\n`);
  turn = { calls: [] };
}

function dispatch(request, response) {
  const route = request.url.slice(1);
  if (route === 'turns') {
    response.end(turns.join(''));
    return;
  }
  const handler = handlers[route];
  if (!handler) {
    response.statusCode = 404;
    response.end();
    return;
  }
  const start = performance.now();
  turn.calls.push(route);
  if (turn.calls.length === 1) {
    turn.start = start;
    setImmediate(endTurn);
  }
  const answer = () => {
    const length = performance.now() - start;
    const line = `${route} ${(start + monotonic).toFixed(3)} ${length.toFixed(3)}\n`;
    response.setHeader('Content-Length', line.length);
    response.end(line);
  };
  call(handler, answer);
  if (handler !== handleImage) answer();
}
// From the start of performance.now() to that of the clock.
const monotonic = Number(process.hrtime.bigint()) / 1e6 - performance.now();

for (const route of process.argv.slice(2)) if (prepare[route]) prepare[route]();
const server = http.createServer(dispatch);
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
process.on('SIGTERM', () => process.exit());
process.on('exit', () => fs.rmSync(scratch, { force: true }));
