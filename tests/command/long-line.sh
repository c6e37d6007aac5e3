# A line of 100 MB is one warning, and memory stays bounded (in KiB, with the sanitizers' own).
{
    printf 'v8-version,12,4,254,21,-node.33,0\nprofiler,begin,1000\n'
    head -c 100000000 /dev/zero | tr '\0' 'x'
    printf '\ncode-creation,JS,10,1,0x1000,100,main /srv/app/a.js:1:1,0x1,~\ntick,0x1010,2,0,0x0,0\n'
} >long.log
python3 - <<'PYTHON'
import resource, subprocess, sys
result = subprocess.run(["tickflame", "fold", "long.log"])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("status", result.returncode, "bounded" if peak < 300000 else f"peak {peak} KiB")
PYTHON
