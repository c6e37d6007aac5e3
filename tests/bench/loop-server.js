// Does the same work for each request: some milliseconds of JavaScript, and nothing else to speak of.
'use strict';
const http = require('http');

function stir(rounds) {
  let x = 1;
  for (let i = 0; i < rounds; i++) x = (x * 16807 + i) % 2147483647;
  return x;
}

function work() {
  let sum = 0;
  for (let i = 0; i < 20; i++) sum += stir(40000);
  return sum;
}

const server = http.createServer((request, response) => response.end(String(work())));
server.listen(Number(process.env.PORT) || 0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
