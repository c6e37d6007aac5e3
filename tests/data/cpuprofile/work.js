// SPDX-License-Identifier: MIT
// What the recorded profiles of this folder show: functions of known cost, blocking reads, regular
// expressions, garbage, waiting, and a recursion deeper than V8 records.
'use strict';
const fs = require('fs');

function readConfig() {
    for (let i = 0; i < 800; i++)
        fs.readFileSync(__filename, 'utf8').split('\n');
}

function matchNames() {
    for (let i = 0; i < 1200; i++)
        /^(?:a+)+$/.test('aaaaaaaaaaaaaa!' + i);
}

function makeGarbage() {
    const kept = [];
    for (let i = 0; i < 300000; i++) {
        kept.push({ id: i, tags: [i, i + 1] });
        if (kept.length > 50000)
            kept.length = 0;
    }
    return kept.length;
}

function spin(rounds) {
    let sum = 0;
    for (let i = 0; i < rounds; i++)
        sum = (sum * 31 + i) % 1000003;
    return sum;
}

function descend(depth) {
    if (depth === 0)
        return spin(4000000);
    return 1 + descend(depth - 1);
}

setTimeout(() => {
    readConfig();
    matchNames();
    makeGarbage();
    spin(8000000);
    descend(400);
}, 40);
