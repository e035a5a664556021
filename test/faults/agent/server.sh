#!/usr/bin/env bash
# The smallest app-server there is: answers what a session asks, and does what it is told when its first turn begins.
#
#   server.sh TOKEN [stubborn] WORD...
#
# Every process that it starts has TOKEN in its command line, so that all of them can be found whatever becomes of their
# environment. WORDs are functions below: trees to plant, or ways to die. `stubborn`: does not leave when it is asked to.
token=$1
shift
[ "$1" = stubborn ] && { stubborn=yes; trap '' TERM HUP INT; shift; }
thread=thread-$token
words=("$@")

# A process that does nothing and can be found.
idle() { exec -a "idle-$token" sleep 600; }
# The same as a program of its own, for those who start one.
idler=(bash -c 'exec -a "idle-$0" sleep 600' "$token")

# Trees. A function returns when its processes are there and have the parents they will keep.
group() { idle & }
own_session() { setsid "${idler[@]}" & }
double_fork() { (setsid "${idler[@]}" &) ; (setsid bash -c '(bash -c '\''exec -a "idle-$0" sleep 600'\'' "$0" &)' "$token"); }
closed_streams() { (setsid "${idler[@]}" >&- 2>&- <&- &); }
deaf() { setsid bash -c 'trap "" TERM HUP INT; while :; do (exec -a "idle-$0" sleep 600); done' "$token" & }
stopped() { idle & kill -STOP $!; }
storm() { for _ in {1..60}; do idle & done; }
# Starts more of its kind when it is told to go.
hydra() { bash -c 'trap "for n in 1 2 3 4 5 6; do (trap \"\" TERM; exec -a idle-$0 sleep 600) & done" TERM; while :; do (exec -a "idle-$0" sleep 0.1); done' "$token" & }
leaked_output() { (setsid "${idler[@]}" 2>&- <&- &); }
changed_environment() { env HOME=/nowhere FOO=bar PATH="$PATH" setsid "${idler[@]}" & }
handed_on() { ( (idle) & ); }
# As Codex starts commands: the mark of the thread, and sometimes nothing else.
thread_only() { (env -i PATH="$PATH" CODEX_THREAD_ID="$thread" setsid "${idler[@]}" &); }
# No mark at all, but still a child when it is looked for. A moment for it: until it has become another program, its
# environment is still ours.
moment() { sleep 0.2; }
bare_child() { env -i PATH="$PATH" setsid "${idler[@]}" & moment; }
# No mark, and nobody's child: no trace leads here.
escaped() { (env -i PATH="$PATH" setsid "${idler[@]}" >&- 2>&- <&- &); moment; }
escaped_with_output() { (env -i PATH="$PATH" setsid "${idler[@]}" &); moment; }

# Deaths.
leaves() { echo "left at $((${EPOCHREALTIME/./} / 1000))" >&2; exit 0; }
fails() { echo "the last words" >&2; exit 1; }
crashes() { kill -SEGV $$; }
falls_silent() { while :; do read -r || break; done; exit 0; }
closes_output() { exec >&-; falls_silent; }

[ "${words[0]}" = before_initialize ] && { echo "no licence" >&2; exit 3; }

say() { printf '%s\n' "$1"; }
turn=turn-1
while IFS= read -r line; do
  id=
  [[ $line =~ ^\{\"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"method":"initialize"'*)
      [ "${words[0]}" = during_initialize ] && { printf '{"id":%s,"resu' "$id"; exit 3; }
      say "{\"id\":$id,\"result\":{}}" ;;
    *'"method":"thread/start"'*)
      [ "${words[0]}" = while_opening ] && exit 4
      say "{\"id\":$id,\"result\":{\"thread\":{\"id\":\"$thread\"}}}" ;;
    *'"method":"turn/start"'*)
      say "{\"id\":$id,\"result\":{\"turn\":{\"id\":\"$turn\"}}}"
      say "{\"method\":\"turn/started\",\"params\":{\"threadId\":\"$thread\",\"turn\":{\"id\":\"$turn\"}}}"
      for word in "${words[@]}"; do "$word"; done
      say "{\"method\":\"item/completed\",\"params\":{\"threadId\":\"$thread\",\"item\":{\"type\":\"agentMessage\",\"text\":\"planted\"}}}" ;;
    *'"method":"turn/interrupt"'*)
      say "{\"id\":$id,\"result\":{}}"
      say "{\"method\":\"turn/completed\",\"params\":{\"threadId\":\"$thread\",\"turn\":{\"id\":\"$turn\",\"status\":\"interrupted\"}}}" ;;
    *) [ -n "$id" ] && say "{\"id\":$id,\"result\":{}}" ;;
  esac
done
[ -n "$stubborn" ] && while :; do (exec -a "idle-$token" sleep 600); done
exit 0
