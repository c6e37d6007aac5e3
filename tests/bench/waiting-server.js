// Waits and works for each request: one look at a file in the libuv pool, and a little JavaScript. With one
// connection its threads leave their processors more than ten thousand times a second.
'use strict';
const fs = require('fs');
const http = require('http');

function stir(rounds) {
  let x = 1;
  for (let i = 0; i < rounds; i++) x = (x * 16807 + i) % 2147483647;
  return x;
}

const server = http.createServer((request, response) => {
  fs.stat(__filename, (error, status) => response.end(String(stir(2500) + (error ? 0 : status.size))));
});
server.listen(Number(process.env.PORT) || 0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
