// Lints big files with the eslint package and all of its rules, until the seconds of the argument have
// passed: the sources of webpack and of eslint itself.
'use strict';
const fs = require('fs');
const path = require('path');
const apps = path.join(__dirname, '..', '..', 'lib', 'apps', 'node_modules');
const { Linter } = require(path.join(apps, 'eslint'));
const { builtinRules } = require(path.join(apps, 'eslint', 'lib', 'unsupported-api.js'));
const end = Date.now() + 1000 * Number(process.argv[2] || 20);

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* sources(file);
    else if (entry.isFile() && entry.name.endsWith('.js')) yield file;
  }
}
const linter = new Linter();
const rules = Object.fromEntries([...builtinRules.keys()].map((name) => [name, 'warn']));
console.log('begun');
for (let round = 0; Date.now() < end; round++) {
  let messages = 0;
  for (const folder of ['webpack/lib', 'eslint/lib']) {
    for (const file of sources(path.join(apps, folder))) {
      if (Date.now() >= end) break;
      messages += linter.verify(fs.readFileSync(file, 'utf8'), [{ rules, languageOptions: { sourceType: 'commonjs' } }], { filename: 'source.js' }).length;
    }
  }
  console.log(`round ${round}: ${messages} messages`);
}
