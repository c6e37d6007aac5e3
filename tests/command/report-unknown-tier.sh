# A tier mark that is not known is shown as ?, and --verbose lists the unknown records.
tickflame report --verbose $DATA/field-cases/fc05-unknown-records.v8.log
