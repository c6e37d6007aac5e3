// Bundles webpack and eslint with webpack, minified, until the seconds of the argument have passed.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const apps = path.join(__dirname, '..', '..', 'lib', 'apps', 'node_modules');
const webpack = require(path.join(apps, 'webpack'));
const end = Date.now() + 1000 * Number(process.argv[2] || 20);
const output = fs.mkdtempSync(path.join(os.tmpdir(), 'bundle-'));
process.on('exit', () => fs.rmSync(output, { recursive: true, force: true }));

function bundle(round) {
  const compiler = webpack({
    mode: 'production', target: 'node', context: apps, cache: false, devtool: 'source-map',
    entry: { webpack: './webpack/lib/index.js', eslint: './eslint/lib/api.js' },
    output: { path: output }, optimization: { minimize: round % 2 === 1 },
  });
  compiler.run((error, stats) => {
    console.log(`round ${round}: ${error || stats.compilation.modules.size} modules`);
    compiler.close(() => (Date.now() < end ? bundle(round + 1) : process.exit()));
  });
}
console.log('begun');
bundle(0);
