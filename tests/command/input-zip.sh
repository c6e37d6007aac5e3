printf 'PK\003\004\024\000\000\000\010\000packed' >profile.zip
tickflame report profile.zip
