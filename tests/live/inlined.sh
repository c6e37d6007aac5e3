# A program of which V8 inlines the interesting functions: their callers are found all the same.
set -euo pipefail
. "$TICKFLAME_SOURCE/tests/live/lib.bash"
command -v node >/dev/null || skip_case 'node is missing'
[ "$(node -p 'parseInt(process.versions.node)')" -ge 16 ] || skip_case 'node is older than 16: its logs do not tell what was inlined'
cp "$TICKFLAME_SOURCE/tests/golden/inlined/inlined.js" .
node --prof --logfile=isolate.log --no-logfile-per-isolate inlined.js 1500
tickflame fold --no-tiers isolate.log >folded.txt
"$TICKFLAME_SOURCE/tests/golden/inlined/check" <folded.txt
