// Loaded in front of the program (node --require) where the kernel refuses perf events: records
// the thread with V8's own profiler and writes the profile when the thread ends. As with node's
// --cpu-prof, but also in versions that do not take that from NODE_OPTIONS, and when a signal ends
// the program.
'use strict';
(() => {
  const folder = process.env.TICKFLAME_PROFILE_FOLDER;
  const interval = Number(process.env.TICKFLAME_PROFILE_INTERVAL);
  let inspector;
  try {
    inspector = require('inspector');
  } catch {
    return; // a node that was built without it
  }
  let thread = { threadId: 0, isMainThread: true };
  try {
    thread = require('worker_threads');
  } catch {
    // Node 8 has no worker threads.
  }
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval });
  session.post('Profiler.start');
  process.once('exit', () => {
    session.post('Profiler.stop', (error, result) => {
      if (error) return;
      const path = `${folder}/${process.pid}-${thread.threadId}.cpuprofile`;
      require('fs').writeFileSync(path, JSON.stringify(result.profile), { mode: 0o600 });
    });
  });
  if (!thread.isMainThread) return;
  for (const [name, number] of [['SIGHUP', 1], ['SIGINT', 2], ['SIGTERM', 15]]) {
    // A program that handles the signal itself ends when it wants to.
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + number);
    });
  }
})();
