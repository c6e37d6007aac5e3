# Progress goes to standard error, is erased at the end, and is not there without a terminal.
log=$DATA/field-cases/fc09-gc-overlap.v8.log
tickflame fold "$log" 2>errors >/dev/null; wc -c <errors
tickflame fold --progress=never "$log" 2>errors >/dev/null; wc -c <errors
for command in fold 'prof-process --only-summary'; do
    tickflame $command --progress=always - <"$log" 2>errors >/dev/null
    tr '\r\033' '\n^' <errors | sort -u; echo
done
tickflame fold --progress=sometimes "$log"
