# Mounts a file system at $1 that answers everything with ESTALE, as a network file system does whose server has
# forgotten it. Ends when it is unmounted.
exec 3<>/dev/fuse
mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 stale "$1" || exit 1
echo mounted
# An answer has to be one write; the shell itself would make two of one with a line feed in it.
answer() { printf "$(printf %s "$1" | sed 's/../\\x&/g')" | dd ibs=64 obs=1024 2>/dev/null >&3; }
while true; do
  request=$(dd bs=65536 count=1 <&3 2>/dev/null | od -An -v -tx1 -N16 | tr -d ' \n')
  [ -n "$request" ] || exit 0
  operation=${request:8:8}
  unique=${request:16:16}
  case $operation in
    # INIT: version 7.31, writes of 4096 bytes.
    1a000000) answer "5000000000000000${unique}070000001f000000$(printf %024d 0)00100000$(printf %080d 0)" ;;
    # FORGET, INTERRUPT and BATCH_FORGET are not answered.
    02000000 | 24000000 | 2a000000) ;;
    # -116 is ESTALE.
    *) answer "100000008cffffff$unique" ;;
  esac
done
