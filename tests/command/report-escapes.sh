# Names with escapes, commas and wide characters; a regular expression counts as JavaScript.
tickflame report $DATA/field-cases/fc02-escapes.v8.log
