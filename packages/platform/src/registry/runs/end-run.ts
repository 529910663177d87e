import type { Run } from "@agate/protocol";
import type { RunTally } from "@agate/protocol/evaluations";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction, storableText } from "../registry-context.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import type { RunEnding, RunRef } from "./run-registry.ts";
import { endedProblem, findRun, lockRunning, type RunRow, runDocument } from "./run-rows.ts";
import { tallyRun } from "./tally-run.ts";

/** How often a run is added up outside of a transaction while results still come in. */
const MOST_ATTEMPTS = 3;

/**
 * Ends a run with its figures and, if it is finished, its verdict. A large run is added up before the
 * transaction, which blocks all others, and again if anything was added meanwhile.
 */
export async function endRun(
  context: RegistryContext,
  ref: RunRef,
  ending: RunEnding,
): Promise<RegistryOutcome<Run>> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const found = await findRun(context.db, ref);
    if (found.kind === "refused") return found;
    if (found.value.status !== "running") return endedOutcome(found.value, ending);
    const tally = await tallyRun(context.db, found.value);
    const outcome = await write(context, ref, ending, async (_, locked) =>
      isSame(locked, found.value) ? tally : undefined,
    );
    if (outcome !== undefined) return outcome;
  }
  const outcome = await write(context, ref, ending, tallyRun);
  if (outcome === undefined) throw new Error("A run was not ended");
  return outcome;
}

/** Results are only ever added: their number tells whether there are new ones. */
function isSame(a: RunRow, b: RunRow): boolean {
  return a.results === b.results && a.cases === b.cases;
}

/** To end a run again in the same way changes nothing. */
function endedOutcome(row: RunRow, { status }: RunEnding): RegistryOutcome<Run> {
  const isSameEnd = row.status === status || (row.status === "failed" && status === "finished");
  return isSameEnd ? done(runDocument(row)) : refused(endedProblem(row));
}

/** Undefined where there is no tally of what the run has now. */
async function write(
  context: RegistryContext,
  ref: RunRef,
  ending: RunEnding,
  tallyOf: (tx: RegistryDatabase, row: RunRow) => Promise<RunTally | undefined>,
): Promise<RegistryOutcome<Run> | undefined> {
  const outcome = await inTransaction(context, async (tx) => {
    const current = await findRun(tx, ref);
    if (current.kind === "refused") return current;
    if (current.value.status !== "running") return endedOutcome(current.value, ending);
    const locked = await lockRunning(tx, context, ref);
    if (locked.kind === "refused") return locked;
    const row = locked.value;
    const tally = await tallyOf(tx, row);
    if (tally === undefined) return done(undefined);
    const end = endOf(row, ending);
    const ended = {
      ...end,
      ended_at: context.now(),
      figures: JSON.stringify(tally.figures()),
      verdict: end.status === "finished" ? JSON.stringify(tally.judge(row.spec.gate)) : null,
    };
    await tx.updateTable("runs").set(ended).where("key", "=", row.key).execute();
    await tx.deleteFrom("run_leases").where("run_key", "=", row.key).execute();
    await tx.deleteFrom("run_workers").where("run_key", "=", row.key).execute();
    return done(runDocument({ ...row, ...ended }));
  });
  if (outcome.kind === "refused") return outcome;
  return outcome.value === undefined ? undefined : done(outcome.value);
}

function endOf({ cases }: RunRow, ending: RunEnding): Pick<RunRow, "status" | "reason"> {
  if (ending.status !== "finished") {
    const { status, reason } = ending;
    return { status, reason: reason === null ? null : storableText(reason) };
  }
  // A run without cases must not look like one that went well.
  if (cases === 0) return { status: "failed", reason: "The run has no cases." };
  return { status: "finished", reason: null };
}
