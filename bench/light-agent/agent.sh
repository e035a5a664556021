# The light agent: codex app-server 0.169's side of the protocol with nothing behind it. `codex.command` sources it into
# the shell that was started anyway, so an agent costs one bash and no second program; only the daemon is measured.
#
#   . agent.sh PORT work              each turn: two items, twenty deltas, usage, completed
#   . agent.sh PORT quiet             the turn begins and nothing more is said
#   . agent.sh PORT flood FILE TIMES  the turn writes FILE that often, as fast as it can
#   . agent.sh PORT count TIMES       the turn waits for the board, reports its usage that often, and says nothing more
#   . agent.sh PORT obey              each turn asks the board how it ends: `SECONDS completed TOKENS-BEFORE`, or what fails it
#
# What it does is told to the board on PORT, which counts; the ticket is the workspace's name.
started=$EPOCHREALTIME # before anything else: this is the moment at which the agent was there
port=$1 mode=$2 file=$3 times=$4
ticket=${PWD##*/} turns=0 turn='' total=0 seconds='' how='' before=''
# Threads are unique per ticket and process; a flood's lines were made beforehand, so its ids are fixed.
printf -v thread '019a9d3e-0000-7000-%04d-%012d' "${ticket##*-}" "$$"
[[ $mode == flood ]] && thread=019a9d3e-0000-7000-8000-000000000001

tell() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'POST /%s HTTP/1.0\r\nContent-Length: 0\r\n\r\n' "$1" >&3
  read -r _ <&3
  exec 3>&-
}

# Says the body of the board's answer, in `told`.
ask() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'POST /%s HTTP/1.0\r\nContent-Length: 0\r\n\r\n' "$1" >&3
  while IFS= read -r told <&3 && [[ $told != $'\r' ]]; do :; done
  IFS= read -r told <&3
  exec 3>&-
}

# Lines are gathered and written at once, as the real one's are.
say() { out+=$1$'\n'; }
note() { say "{\"method\":\"$1\",\"params\":$2,\"emittedAtMs\":1795187592179}"; }
answer() { say "{\"id\":$id,\"result\":$1}"; }
flush() {
  printf %s "$out"
  out=''
}

turn_json() { printf -v "$1" '{"id":"%s","items":[],"itemsView":"notLoaded","status":"%s","error":null,"startedAt":1795186970,"completedAt":null,"durationMs":null}' "$turn" "$2"; }
item() { note "item/$1" "{\"threadId\":\"$thread\",\"turnId\":\"$turn\",\"item\":$2,\"startedAtMs\":1795187592179}"; }

open_thread() {
  local more='"model":"light","cwd":"'$PWD'","approvalPolicy":"never","sandbox":{"type":"workspaceWrite","writableRoots":[],"networkAccess":false},"instructionSources":[]'
  local it="{\"id\":\"$thread\",\"sessionId\":\"$thread\",\"status\":{\"type\":\"idle\"},\"source\":\"vscode\",\"originator\":\"baton\",\"preview\":\"\",\"turns\":[]}"
  answer "{\"thread\":$it,$more}"
  note thread/started "{\"thread\":$it}"
  flush
  tell "thread/$ticket/$thread/$started"
}

begin_turn() {
  local json
  turns=$((turns + 1))
  printf -v turn '019a9d3e-0001-7000-%04d-%012d' "$turns" "$$"
  [[ $mode == flood ]] && turn=019a9d3e-0001-7000-8000-000000000001
  turn_json json inProgress
  answer "{\"turn\":$json}"
  note thread/status/changed "{\"threadId\":\"$thread\",\"status\":{\"type\":\"active\",\"activeFlags\":[]}}"
  note turn/started "{\"threadId\":\"$thread\",\"turn\":$json}"
}

usage() {
  local count
  total=$((total + $1))
  count="{\"totalTokens\":$total,\"inputTokens\":$((total - 300)),\"cachedInputTokens\":600,\"cacheWriteInputTokens\":0,\"outputTokens\":300,\"reasoningOutputTokens\":100}"
  note thread/tokenUsage/updated "{\"threadId\":\"$thread\",\"turnId\":\"$turn\",\"tokenUsage\":{\"total\":$count,\"last\":$count,\"modelContextWindow\":258400}}"
}

end_turn() {
  local json
  usage 1500
  note account/rateLimits/updated '{"rateLimits":{"limitId":"codex","limitName":null,"primary":null,"secondary":null,"credits":null,"planType":null,"rateLimitReachedType":null}}'
  note thread/status/changed "{\"threadId\":\"$thread\",\"status\":{\"type\":\"idle\"}}"
  turn_json json "$1"
  note turn/completed "{\"threadId\":\"$thread\",\"turn\":$json}"
}

fail_turn() {
  local json
  turn_json json failed
  note turn/completed "{\"threadId\":\"$thread\",\"turn\":${json/\"error\":null/\"error\":{\"message\":\"the model said $1\",\"codexErrorInfo\":\"$1\",\"additionalDetails\":null\}}}"
}

# Waits without a second process; nobody writes to the pipe.
pause() {
  [[ -n ${never:-} ]] || exec {never}<> <(:)
  read -rt "$1" -u "$never" _
}

work() {
  local i command message='{"type":"agentMessage","id":"msg_0","text":"This step is done; the next one follows.","phase":"final_answer"}'
  command='"type":"commandExecution","id":"call_0","command":"/bin/bash -lc '"'npm test'"'","cwd":"'$PWD'","processId":"1","source":"agent","aggregatedOutput":"12 passed\n"'
  item started "{$command,\"status\":\"inProgress\",\"exitCode\":null,\"durationMs\":null}"
  item completed "{$command,\"status\":\"completed\",\"exitCode\":0,\"durationMs\":40}"
  item started "$message"
  for ((i = 0; i < 20; i++)); do
    note item/agentMessage/delta "{\"threadId\":\"$thread\",\"turnId\":\"$turn\",\"itemId\":\"msg_0\",\"delta\":\" step\"}"
  done
  item completed "$message"
}

# The board is told before the last line is written: the daemon looks at the ticket as soon as it has read it.
run_turn() {
  begin_turn
  case $mode in
    quiet) flush ;;
    count)
      flush
      tell "wait/$ticket"
      for ((i = 0; i < file; i++)); do usage 300; done
      note warning '{"message":"all usage is told"}'
      flush
      ;;
    flood)
      flush
      tell "flood/$ticket"
      for ((i = 0; i < times; i++)); do cat "$file"; done
      tell "turn/$ticket/$thread"
      end_turn completed
      flush
      ;;
    obey)
      work
      flush
      ask "turn/$ticket/$thread"
      read -r seconds how before <<<"$told"
      # A resumed thread goes on counting where it was.
      total=$before
      pause "$seconds"
      case $how in
        completed) end_turn completed ;;
        exit) exit 3 ;;
        mute) pause 100000 ;;
        *) fail_turn "$how" ;;
      esac
      flush
      ;;
    *)
      work
      tell "turn/$ticket/$thread"
      end_turn completed
      flush
      ;;
  esac
}

out=''
method_in='"method":"([a-zA-Z/]+)"'
id_in='"id":([0-9]+|"[^"]*")'
thread_in='"threadId":"([^"]+)"'
while IFS= read -r line; do
  [[ ${line:0:200} =~ $method_in ]] || continue
  method=${BASH_REMATCH[1]}
  [[ ${line:0:200} =~ $id_in ]] || continue
  id=${BASH_REMATCH[1]}
  case $method in
    initialize)
      answer '{"userAgent":"baton/0.169.0 (Debian 12.0.0; x86_64) light (baton; 1)","codexHome":"/nowhere","platformFamily":"unix","platformOs":"linux"}'
      note remoteControl/status/changed '{"status":"disabled"}'
      flush
      ;;
    thread/start) open_thread ;;
    thread/resume)
      [[ $line =~ $thread_in ]] && thread=${BASH_REMATCH[1]}
      open_thread
      ;;
    turn/start) run_turn ;;
    turn/interrupt)
      answer '{}'
      end_turn interrupted
      flush
      ;;
    *)
      answer '{}'
      flush
      ;;
  esac
done
