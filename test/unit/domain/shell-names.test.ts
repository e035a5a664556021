import { describe, expect, test } from "vitest";
import { namedVariables } from "../../../src/domain/shell-names.ts";

const named = (script: string) => namedVariables(script).map(({ name }) => name);
const needed = (script: string) =>
  namedVariables(script).flatMap(({ name, needed: is }) => (is ? [name] : []));
const expanded = (script: string) =>
  namedVariables(script).flatMap(({ name, expanded: is }) => (is ? [name] : []));

describe("a script names", () => {
  test.each([
    ["$CODEX_BIN app-server", ["CODEX_BIN"]],
    ['git clone "$SOURCE_REPO_URL" .', ["SOURCE_REPO_URL"]],
    ["a ${ONE} ${#TWO} ${!THREE} ${FOUR%x} ${FIVE[0]} $ONE", ["ONE", "TWO", "THREE", "FOUR", "FIVE"]],
    ['echo "$(cat "$FILE" | tr $FROM x)" $LAST', ["FILE", "FROM", "LAST"]],
    ["cat <<EOF\nDon't say $IN_TEXT\nEOF\necho $AFTER", ["IN_TEXT", "AFTER"]],
    ["cat <<-EOF | x $SAME\n\t$IN_TEXT\n\tEOF\necho '$Q' $AFTER", ["SAME", "IN_TEXT", "Q", "AFTER"]],
    ["grep x <<< $WORD\necho $AFTER", ["WORD", "AFTER"]],
    ["case $X in a) echo $Y;; esac; echo $Z", ["X", "Y", "Z"]],
    ["${A:-$B}", ["A", "B"]],
  ])("in %j what its shell puts in", (script, names) => {
    expect(named(script)).toEqual(names);
  });

  test.each([
    "echo $1 $@ $? $$HOME_ \\$NO \"\\$NO\" $'it\\'s $NO' $((1+1))",
    "# only $NO said\ntrue # $NO",
    "echo a#b; # don't $NO",
  ])("nothing in %j", (script) => {
    expect(named(script)).toEqual([]);
  });

  test("with quotes around a `#` no comment, and a `#` in a word none", () => {
    expect(named("echo '#' x#y $YES")).toEqual(["YES"]);
  });

  test("in single quotes for another program, which its own shell does not put in", () => {
    const script = `awk '{print $NF}'; bash -c 'exec "$CODEX_BIN"'; cat <<'E'\n$DOC\nE\necho $YES`;
    expect(named(script)).toEqual(["NF", "CODEX_BIN", "DOC", "YES"]);
    expect(expanded(script)).toEqual(["YES"]);
    expect(needed(script)).toEqual(["YES"]);
  });

  test("what it names, however deep and however much of it", () => {
    expect(named(`${"(".repeat(60_000)}$X`)).toEqual(["X"]);
    expect(named(`"${"$(".repeat(30_000)}$X`)).toEqual(["X"]);
    const many = Array.from({ length: 10_000 }, (_, i) => `$N${i}`).join(" ");
    expect(named(many)).toHaveLength(300);
  });

  test("on the line where it is first", () => {
    expect(namedVariables("a\nb $X\n$X")).toMatchObject([{ name: "X", line: 2 }]);
  });
});

describe("a variable is not needed from outside", () => {
  test.each([
    ['dir=$(mktemp -d); cd "$dir"'],
    ["for f in *; do echo $f; done"],
    ["while read -r a b; do echo $a $b; done"],
    ["export X=1; echo $X"],
    ["declare -A m; echo ${m[x]}"],
    ["printf -v out %s 1; echo $out"],
    ["list+=(1); echo ${list[@]}"],
  ])("when the script sets it: %j", (script) => {
    expect(needed(script)).toEqual([]);
  });

  test("when its absence was thought of, or bash itself sets it", () => {
    expect(needed("echo ${A:-x} ${B-} ${C:+y} ${D:?no D} $HOME $PWD $RANDOM $BASH_VERSION")).toEqual([]);
  });

  test("but is when another is made of it", () => {
    expect(needed('export SOURCE="$SOURCE_REPO_URL"; git clone $SOURCE')).toEqual(["SOURCE_REPO_URL"]);
    expect(needed("X=$Y")).toEqual(["Y"]);
  });
});
