# A function of one's own takes more than all that blocks: it leads, in words and in the picture.
{
    echo 'handle /srv/app/s.js:3:1;readFileSync node:fs:440:21 150'
    echo 'handle /srv/app/s.js:3:1;existsSync node:fs:280:5 50'
    echo 'handle /srv/app/s.js:3:1;spin /srv/app/s.js:9:4 600'
    echo 'handle /srv/app/s.js:3:1;v8::internal::Builtin_JsonParse 200'
} >stacks.folded
tickflame report --format markdown stacks.folded | sed -n '/holds/p;/hottest/p' | head -n 1
tickflame flame --static stacks.folded -o graph.svg
sed -n 's/.*class="\(verdict[^"]*\|dim\)" .*>\(.*[a-z] .*\)<.*/\1: \2/p' graph.svg | head -n 4
