printf '<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n' >isolate.log
tickflame report isolate.log
