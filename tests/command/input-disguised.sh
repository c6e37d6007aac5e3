# What no reader takes is named behind a byte-order mark, inside gzip and in the other byte order too.
printf '\xEF\xBB\xBF<!DOCTYPE html><html>a;b 3\n' >page
printf 'a;b 3\n' | gzip | gzip >twice.gz
printf 'a;b 3\n' | iconv -f UTF-8 -t UTF-16BE >wide
printf '{\n  "nodes": [\n    {\n      "id": 1\n    }\n  ]\n}\n' >object.json
printf '[\n  {\n    "ts": 1\n  }\n]\n' >list.json
for input in page twice.gz wide object.json list.json; do
    tickflame fold $input
    echo "$?"
done
printf '[node];[libc.so.6] 3\n{closure} 2\n' | tickflame fold -
tickflame report - <object.json
