// WebAssembly that calls JavaScript and is called by it, until the seconds of the argument have passed.
'use strict';
const leb = (n) => { const bytes = []; do { bytes.push((n & 127) | (n > 127 ? 128 : 0)); n >>>= 7; } while (n); return bytes; };
const section = (id, ...bytes) => [id, ...leb(bytes.length), ...bytes];
const name = (text) => [text.length, ...Buffer.from(text)];
const body = (locals, ...code) => { const bytes = [...locals, ...code, 0x0b]; return [...leb(bytes.length), ...bytes]; };
const I32 = 0x7f;
const bytes = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, 1, 0x60, 1, I32, 1, I32),
  ...section(2, 1, ...name('js'), ...name('called'), 0, 0),
  ...section(3, 2, 0, 0),
  ...section(7, 2, ...name('spin'), 0, 1, ...name('callOut'), 0, 2),
  ...section(10, 2,
    // spin(n): x = 1; do { x = x * 16807 + 1; n = n - 1 } while (n); return x
    ...body([1, 1, I32], 0x41, 1, 0x21, 1, 0x03, 0x40, 0x20, 1, 0x41, ...[0xa7, 0x83, 0x01], 0x6c, 0x41, 1, 0x6a, 0x21, 1,
      0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 1),
    // callOut(n): x = 0; do { x = x + called(n); n = n - 1 } while (n); return x
    ...body([1, 1, I32], 0x03, 0x40, 0x20, 1, 0x20, 0, 0x10, 0, 0x6a, 0x21, 1,
      0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 1)),
]);
function calledFromWasm(n) { let sum = n; for (let i = 0; i < 300; i++) sum = (sum * 31 + i) % 65521; return sum; }
const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { js: { called: calledFromWasm } });
function callSpin() { return instance.exports.spin(300000); }
function callOut() { return instance.exports.callOut(500); }
const end = Date.now() + 1000 * Number(process.argv[2] || 10);
for (let turn = 0; Date.now() < end; turn++) {
  callSpin();
  callOut();
  if (turn === 5) console.log('begun');
}
