// A server that checks a password on the event loop: compareSync computes for some tens of
// milliseconds, and every other request waits that long.
'use strict';

const http = require('node:http');
const bcrypt = require('bcrypt');

const stored = bcrypt.hashSync('correct horse', 8);

function handleLogin(request, response) {
  const right = bcrypt.compareSync('correct horse', stored);
  response.statusCode = right ? 200 : 403;
  response.end(right ? 'welcome\n' : 'wrong password\n');
}

const server = http.createServer(handleLogin);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});

// Leaving through process.exit lets node finish its log, which a plain SIGTERM would cut off.
process.on('SIGTERM', () => process.exit());
process.on('SIGINT', () => process.exit());
