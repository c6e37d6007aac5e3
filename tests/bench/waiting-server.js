// Answers after waiting: each request reads a small file in the libuv pool, several times in turn, so
// that threads leave their processors some ten times a request.
'use strict';
const fs = require('fs');
const http = require('http');

function readAgain(left, done) {
  fs.readFile(__filename, (error, data) => {
    if (error || left === 0) done(error, data ? data.length : 0);
    else readAgain(left - 1, done);
  });
}

const server = http.createServer((request, response) => {
  readAgain(1, (error, size) => response.end(String(error || size)));
});
server.listen(Number(process.env.PORT) || 0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
