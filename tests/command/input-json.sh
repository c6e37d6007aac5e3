# A profile in another format is named, not taken for folded text of which one line has a count.
printf '{"nodes":[{"id":1}],\n"samples": 5\n}\n' >isolate.cpuprofile
tickflame report isolate.cpuprofile
