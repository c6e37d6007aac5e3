# JSON may take more than the call that blocks most: the verdict names both.
{
    echo 'handle /srv/app/s.js:3:1;zlibBufferSync node:zlib:164:24 280'
    echo 'handle /srv/app/s.js:3:1;v8::internal::Builtin_JsonParse 400'
    echo 'handle /srv/app/s.js:3:1 20'
} >stacks.folded
tickflame report --summary stacks.folded
