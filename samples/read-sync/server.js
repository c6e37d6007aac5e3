// A server with a mistake to find: every request reads its template from disk synchronously,
// and while the read lasts the event loop serves nobody else. The twin: ../read-async/server.js
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const template = path.join(os.tmpdir(), `read-sync-template-${process.pid}.html`);
fs.writeFileSync(template, '<p>Good day, visitor number {{visit}}.</p>\n'.repeat(2400)); // 100 KB
let visits = 0;

function handleRequest(request, response) {
  const page = fs.readFileSync(template, 'utf8').replace('{{visit}}', String(++visits));
  response.setHeader('content-type', 'text/html');
  response.end(page);
}

const server = http.createServer(handleRequest);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});

// Leaving through process.exit lets node finish its log, which a plain SIGTERM would cut off.
process.on('SIGTERM', () => process.exit());
process.on('SIGINT', () => process.exit());
process.on('exit', () => fs.rmSync(template, { force: true }));
