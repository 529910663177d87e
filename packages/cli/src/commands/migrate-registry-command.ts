import type { RegistryMigrationOutcome } from "@agate/platform/offline";
import { parseRegistryAddress } from "@agate/platform/options";
import { Command } from "commander";
import { silentProgress, startProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure } from "./client/failures.ts";
import { jsonFor } from "./client/on-platform.ts";
import { readAddress } from "./database-options.ts";
import { onThisMachine } from "./on-this-machine.ts";
import { catchSignals } from "./stop-signals.ts";
import { copiedDocument, copiedLines, lostLines } from "./views/migration-view.ts";

interface Session {
  readonly flags: { readonly json?: true };
  readonly terminal: Terminal;
}

/** `agate migrate-registry`: from one database to another. */
export function migrateRegistryCommand(): Command {
  const command = new Command("migrate-registry")
    .description("Copy projects, keys and applications to an empty registry, and compare the two.")
    .helpGroup(HEADINGS.administer)
    .argument("<from>", "sqlite:FOLDER, postgres://…, or env:VARIABLE that has one")
    .argument("<to>", "the same; must be empty")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      examples(
        "agate migrate-registry sqlite:.agate postgres://agate:secret@db/agate",
        "AGATE_REGISTRY=postgres://agate:secret@db/agate agate migrate-registry sqlite:.agate env:AGATE_REGISTRY",
      ),
    );
  return onThisMachine(command, runMigration);
}

async function runMigration(session: Session, fromText: string, toText: string): Promise<void> {
  const { flags, terminal } = session;
  const from = readAddress("<from>", fromText, parseRegistryAddress);
  const to = readAddress("<to>", toText, parseRegistryAddress);
  const ended = new AbortController();
  const stopped = catchSignals(ended);
  // Not before: every other command starts without it.
  const { migrateRegistry } = await import("@agate/platform/offline");
  let outcome: RegistryMigrationOutcome;
  {
    // In a pipe its line would say nothing that the result does not.
    const isShown = terminal.canAnimate && flags.json === undefined;
    using progress = isShown ? startProgress(terminal, "copy".length) : silentProgress;
    progress.begin("copy");
    const onTable = (table: string) => progress.update(table);
    outcome = await migrateRegistry({ from, to, signal: ended.signal, onTable });
    if (outcome.kind === "copied") progress.done("");
  }
  const signal = stopped();
  if (outcome.kind === "interrupted" && signal !== undefined) {
    terminal.note("Stopped. Nothing was copied.");
    // Ends by the same signal, so that a script that runs the command stops too.
    process.kill(process.pid, signal);
    return;
  }
  tell(session, outcome);
}

function tell({ flags, terminal }: Session, outcome: RegistryMigrationOutcome): void {
  switch (outcome.kind) {
    case "refused":
      throw new CommandFailure(outcome.reason);
    case "interrupted":
      throw new CommandFailure("It was stopped. Nothing was copied.");
    case "broken-off":
      throw new CommandFailure(`${outcome.reason} Run the same command again once that is fixed.`);
    case "copied":
      if (flags.json) {
        terminal.print(jsonFor(terminal, copiedDocument(outcome)));
        return;
      }
      for (const line of copiedLines(terminal, outcome)) terminal.print(line);
      for (const line of lostLines(outcome)) terminal.note(line);
  }
}
