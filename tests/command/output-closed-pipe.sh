# `| head` ends the writer silently.
set -o pipefail
tickflame fold $DATA/field-cases/fc19-recursion.folded | true
[ "${PIPESTATUS[0]}" = 0 ] || [ "${PIPESTATUS[0]}" = 141 ]
