// The twin of ../read-sync/server.js without its mistake: the template is read by the thread pool,
// and the event loop serves other requests meanwhile.
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const template = path.join(os.tmpdir(), `read-async-template-${process.pid}.html`);
fs.writeFileSync(template, '<p>Good day, visitor number {{visit}}.</p>\n'.repeat(2400)); // 100 KB
let visits = 0;

async function handleRequest(request, response) {
  const text = await fs.promises.readFile(template, 'utf8');
  response.setHeader('content-type', 'text/html');
  response.end(text.replace('{{visit}}', String(++visits)));
}

const server = http.createServer(handleRequest);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});

// Leaving through process.exit lets node finish its log, which a plain SIGTERM would cut off.
process.on('SIGTERM', () => process.exit());
process.on('SIGINT', () => process.exit());
process.on('exit', () => fs.rmSync(template, { force: true }));
