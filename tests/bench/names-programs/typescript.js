// Type-checks with the typescript package, again and again until the seconds of the argument have
// passed: its own declarations, those of node, and generated sources.
'use strict';
const path = require('path');
const apps = path.join(__dirname, '..', '..', 'lib', 'apps', 'node_modules');
const ts = require(path.join(apps, 'typescript'));
const end = Date.now() + 1000 * Number(process.argv[2] || 20);

function generate(i) {
  return `import * as fs from 'fs'; import * as http from 'http'; import * as ts from 'typescript';
export interface Item${i}<T extends object = {}> { id: number; value: Partial<T> & { [K in keyof T as \`get\${Capitalize<string & K>}\`]: () => T[K] }; }
export class Store${i}<T extends object> extends Map<string, Item${i}<T>> {
  find<K extends keyof T>(key: K, value: T[K]): Item${i}<T>[] { return [...this.values()].filter((item) => (item.value as any)[key] === value); }
  async load(file: string): Promise<number> { const text = await fs.promises.readFile(file, 'utf8'); return text.split('\\n').map(Number).reduce((a, b) => a + b, ${i}); }
}
export function visit${i}(node: ts.Node): number { let n = ts.isIdentifier(node) ? node.text.length : ${i}; ts.forEachChild(node, (child) => { n += visit${i}(child); }); return n; }
export const server${i} = http.createServer((request, response) => { response.end(request.url ?? ${i % 3 ? "'none'" : '42'}); });
${i ? `import { Store${i - 1} } from './generated${i - 1}'; export const other${i}: Store${i - 1}<{ a: number }> = new Store${i - 1}();` : ''}
`;
}
function check(round) {
  const files = new Map();
  for (let i = 0; i < 40; i++) files.set(path.join(apps, `generated${i}.ts`), generate(i) + `// ${round}\n`);
  const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10, types: ['node'], typeRoots: [path.join(apps, '@types')] };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...rest) => (files.has(name) ? ts.createSourceFile(name, files.get(name), ...rest) : read(name, ...rest));
  const exists = host.fileExists;
  host.fileExists = (name) => files.has(name) || exists(name);
  return ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host)).length;
}
console.log('begun');
for (let round = 0; Date.now() < end; round++) {
  const found = check(round);
  console.log(`round ${round}: ${found} diagnostics`);
}
