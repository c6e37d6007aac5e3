# What stands before the damage is used and the place is told; --strict takes it for an error.
head -c 660 "$DATA/field-cases/fc11-negative-delta.cpuprofile" >cut.cpuprofile
tickflame fold cut.cpuprofile
tickflame fold --strict cut.cpuprofile
echo "$?"
printf '{"nodes":[{"id":1,"callFrame":{"functionName":"f"},"hitCount":2}],}' | tickflame fold -
tickflame fold "$DATA/field-cases/fc13a-cycle.cpuprofile"
echo "$?"
tickflame fold "$DATA/field-cases/fc13b-dangling.cpuprofile"
printf '{"nodes":[{"id":1},' | tickflame fold --input-format cpuprofile -
echo "$?"
printf '[1]' | tickflame fold --input-format cpuprofile -
echo "$?"
