// A server that works synchronously in each request: a file, a key, a password. Prints its URL.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const path = require('path');
const bcrypt = require(path.join(__dirname, '..', '..', 'lib', 'addons', 'node_modules', 'bcrypt'));

const stored = bcrypt.hashSync('correct horse', 4);
function readPage() {
  return fs.readFileSync(__filename, 'utf8');
}
function deriveKey() {
  return crypto.pbkdf2Sync('correct horse', 'salt', 200, 32, 'sha256').toString('hex');
}
function checkPassword() {
  return bcrypt.compareSync('correct horse', stored);
}
function renderPage(text, key) {
  const rows = text.split('\n').map((line, i) => ({ i, length: line.length, words: line.match(/\w+/g) || [] }));
  return JSON.stringify({ key, rows: rows.filter((row) => row.words.length) });
}
let requests = 0;
function handleRequest(request, response) {
  const good = requests++ % 10 !== 0 || checkPassword();
  response.setHeader('Content-Type', 'application/json');
  response.end(good ? renderPage(readPage(), deriveKey()) : '{}');
}
const server = http.createServer(handleRequest);
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
