// Eight worker threads, each an isolate with its own heap and its own functions, until the seconds of
// the argument have passed.
'use strict';
const { Worker, isMainThread, workerData, parentPort } = require('worker_threads');
function spinInWorker(n) { let sum = n; for (let i = 0; i < 20000; i++) sum = (sum * 16807 + 1) % 2147483647; return sum; }
function sortInWorker(n) { return Array.from({ length: 500 }, (_, i) => (i * n) % 503).sort((a, b) => a - b)[3]; }
class WorkerTask {
  constructor(n) { this.n = n; }
  run() { let sum = 0; for (let i = 0; i < 300; i++) sum += this.step(i); return sum; }
  step(i) { return new Array(i % 7).fill(this.n).reduce((a, b) => a + b, i); }
}
if (isMainThread) {
  const end = Date.now() + 1000 * Number(process.argv[2] || 10);
  let begun = 0;
  for (let i = 0; i < 8; i++) new Worker(__filename, { workerData: { number: i, end } }).on('message', () => { if (++begun === 8) console.log('begun'); });
} else {
  const own = new Function('x', `let sum = x; for (let i = 0; i < 10000; i++) sum = (sum * 48271 + ${workerData.number}) % 2147483647; return sum;`);
  let sum = workerData.number;
  for (let turn = 0; Date.now() < workerData.end; turn++) {
    sum = (spinInWorker(sum) + sortInWorker(sum % 997) + new WorkerTask(turn % 10).run() + own(turn)) % 1e9;
    if (turn === 3) parentPort.postMessage(sum);
  }
}
