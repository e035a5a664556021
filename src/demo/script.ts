/** What the scripted agent does on each ticket: real edits, real commands, real commits; only the thinking is made up. */
import { gate, type Gate, scenario, type Scenario, type Script, scripted } from "./model/model.ts";
import { blockerIn } from "./prompt.ts";
import { adds, begin, breaksDown, changes, edits, finish, pause, runs, runsAfter } from "./steps.ts";
import { tickets } from "./tickets.ts";

export interface DemoScript {
  readonly script: Script;
  /** Opened when the work of the blocking ticket can be fetched: its hook may still run when the ticket is done. */
  readonly published: Gate;
}

export function demoScript(): DemoScript {
  const published = gate();
  const [world, goodbye, words, french] = tickets;
  return {
    published,
    script: scripted(
      on(world.title, greetsTheWorld),
      on(goodbye.title, saysGoodbye),
      on(words.title, keepsWords),
      on(french.title, speaksFrench(published)),
    ),
  };
}

const on = (title: string, turns: Scenario["turns"]): Scenario => scenario({ match: title, turns });

/** Its first run fails after the edit; the second goes on with the same thread and finds the edit there. */
const greetsTheWorld: Scenario["turns"] = [
  [
    ...begin,
    runs("I want to see it fail.", "./greet.sh"),
    edits(
      "The name needs a stand-in.",
      changes("greet.sh", 'echo "Hello, $1!"', 'echo "Hello, ${1:-world}!"'),
      adds("checks/nobody.sh", '[ "$(./greet.sh)" = "Hello, world!" ]'),
    ),
    breaksDown,
    runs("I was interrupted: what is there already?", "git status --short"),
    ...finish("Greet the world when nobody is named", "Without a name, the world is greeted."),
  ],
];

/** Ends its first turn before the ticket is done, so there is a second one on the same thread. */
const saysGoodbye: Scenario["turns"] = [
  [
    ...begin,
    edits(
      "First the program itself.",
      adds("goodbye.sh", "#!/bin/sh", "# Says goodbye to whoever is named.", 'echo "Goodbye, $1!"'),
    ),
    runs("Does it run?", "sh goodbye.sh Ada"),
    pause("The program is there. Its check and the README come next."),
  ],
  [
    edits(
      "The check and the README.",
      adds("checks/goodbye.sh", '[ "$(sh goodbye.sh Ada)" = "Goodbye, Ada!" ]'),
      [
        "*** Update File: README.md",
        "@@",
        " `./greet.sh Ada` greets Ada. `./test.sh` runs the checks.",
        "+`sh goodbye.sh Ada` says goodbye.",
      ].join("\n"),
    ),
    ...finish("Say goodbye", "`goodbye.sh` says goodbye; it has a check and a line in the README."),
  ],
];

const keepsWords: Scenario["turns"] = [
  [
    ...begin,
    runs("Where is the word?", "grep -n Hello *.sh"),
    edits(
      "It moves to a file.",
      adds("words/en", "Hello"),
      changes("greet.sh", 'echo "Hello, $1!"', 'word=$(cat "words/${GREET_IN:-en}")', 'echo "$word, $1!"'),
    ),
    ...finish(
      "Keep the word for hello in a file",
      "The word is in `words/en`; `GREET_IN` names another file.",
    ),
  ],
];

/** Builds on the commit of the ticket that blocked it. */
const speaksFrench = (published: Gate): Scenario["turns"] => [
  [
    ...begin,
    runsAfter(
      published,
      "This builds on another ticket, so I fetch its work.",
      (seen) => `git fetch --quiet && git merge --ff-only origin/agent/${blockerIn(seen)}`,
    ),
    edits(
      "One more word, and a check.",
      adds("words/fr", "Bonjour"),
      adds("checks/french.sh", '[ "$(GREET_IN=fr ./greet.sh Ada)" = "Bonjour, Ada!" ]'),
    ),
    ...finish("Greet in French", "`GREET_IN=fr` greets in French."),
  ],
];
