// A server that is sampled by the live cases. Each request reads a file ten times, synchronously;
// beside that, hashes are computed in libuv's pool. A request to /worker starts a worker thread.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const { Worker, isMainThread } = require('worker_threads');

function spinInWorker() {
  let sum = 0;
  for (let i = 0; i < 3e6; i++) sum += Math.cbrt(i);
  return sum;
}

function renderPage(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i += 8) sum = (sum * 31 + text.charCodeAt(i)) % 65521;
  return String(sum);
}

function handleRequest(request, response) {
  if (request.url === '/worker') new Worker(__filename);
  let text = '';
  for (let i = 0; i < 10; i++) text = fs.readFileSync(__filename, 'utf8');
  response.end(renderPage(text));
}

function hashInPool() {
  crypto.pbkdf2('secret', 'salt', 20000, 32, 'sha256', () => setTimeout(hashInPool, 20));
}

if (isMainThread) {
  const server = http.createServer(handleRequest);
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
  hashInPool();
} else {
  setInterval(spinInWorker, 1);
}
