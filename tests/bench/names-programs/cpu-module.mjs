// The part of cpu.js that is an ECMAScript module.
export function moduleWork(x) {
  let sum = x;
  for (let i = 0; i < 3000; i++) sum = (sum * 16807 + 4) % 2147483647;
  return [1, 2, 3, 4, 5].map((y) => helper(y + sum)).reduce((a, b) => a + b, 0);
}
const helper = (x) => {
  let sum = x;
  for (let i = 0; i < 500; i++) sum = (sum * 16807 + 5) % 2147483647;
  return sum;
};
export async function moduleAsync(x) {
  let sum = 0;
  for await (const y of numbers(x)) sum += y;
  return sum;
}
async function* numbers(n) {
  for (let i = 0; i < n; i++) yield helper(i);
}
export class Counter {
  #total = 0;
  constructor(steps) { this.steps = steps; }
  #step(i) { for (let j = 0; j < 300; j++) this.#total = (this.#total * 31 + i + j) % 65521; }
  run() { for (let i = 0; i < this.steps; i++) this.#step(i); return this.#total; }
}
export default (x) => x + 1;
