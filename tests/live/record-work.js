// Five functions whose costs are as 10 : 7 : 5 : 3 : 2, called in turn, for the seconds of CPU time
// given as the argument. Every iteration depends on the one before: no compiler can shorten it.
'use strict';
function turnTen(n, x) { for (let i = 10 * n; i > 0; i--) x = (x * 16807 + 10) % 2147483647; return x; }
function turnSeven(n, x) { for (let i = 7 * n; i > 0; i--) x = (x * 16807 + 7) % 2147483647; return x; }
function turnFive(n, x) { for (let i = 5 * n; i > 0; i--) x = (x * 16807 + 5) % 2147483647; return x; }
function turnThree(n, x) { for (let i = 3 * n; i > 0; i--) x = (x * 16807 + 3) % 2147483647; return x; }
function turnTwo(n, x) { for (let i = 2 * n; i > 0; i--) x = (x * 16807 + 2) % 2147483647; return x; }

const turns = [turnTen, turnSeven, turnFive, turnThree, turnTwo];
const end = Number(process.argv[2]) * 1e6;
let x = 1;
console.log('begun');
do {
  for (let i = 0; i < 20; i++) {
    const n = 500 + x % 1000; // rounds of many lengths: none keeps step with a sampler's clock
    for (const turn of turns) x = turn(n, x);
  }
} while (process.cpuUsage().user < end);
