'use strict';
// A handler that asks for a file through a helper, often enough that V8 inlines both. Every call of
// existsSync is made by hasPage, and every call of hasPage by handler.
const fs = require('node:fs');

function hasPage(name) {
  return fs.existsSync('/srv/pages/' + name);
}

function handler(request) {
  return hasPage(request.page) ? 200 : 404;
}

function serve(milliseconds) {
  const end = Date.now() + milliseconds;
  let found = 0;
  do {
    for (let i = 0; i < 500; i++) {
      if (handler({ page: 'page-' + (i % 7) }) === 200) found++;
    }
  } while (Date.now() < end);
  return found;
}

serve(Number(process.argv[2] || 1200));
