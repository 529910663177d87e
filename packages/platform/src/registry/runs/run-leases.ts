import { randomBytes } from "node:crypto";
import type { RunItem } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction } from "../registry-context.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import { indexOfItem, itemAt } from "./run-items.ts";
import type { LeaseRequest, RunLease, RunRef } from "./run-registry.ts";
import { findRun, itemsPerCase, lockRunning, orderOf, type RunRow } from "./run-rows.ts";

/**
 * Leases items of a run. Each item before `next_item` has a result or a lease; so those to call are the
 * expired leases, and what follows. A server that is killed keeps its items until they expire.
 */
export function leaseItems(
  context: RegistryContext,
  ref: RunRef,
  { count, ms }: LeaseRequest,
): Promise<RegistryOutcome<RunLease>> {
  return inTransaction(context, async (tx) => {
    const locked = await lockRunning(tx, context, ref);
    if (locked.kind === "refused") return locked;
    const run = locked.value;
    const at = context.now();
    const lease = { token: randomBytes(16).toString("hex"), expires_at: later(at, ms) };
    const expired = await expiredItems(tx, run.key, at, count);
    const fresh = await freshItems(tx, run, count - expired.length);
    if (fresh.next > run.next_item) {
      const next = { next_item: fresh.next };
      await tx.updateTable("runs").set(next).where("key", "=", run.key).execute();
    }
    const items = [...expired, ...fresh.items];
    if (items.length > 0) {
      await tx
        .insertInto("run_leases")
        .values(items.map((item) => ({ run_key: run.key, item, ...lease })))
        .onConflict((conflict) => conflict.columns(["run_key", "item"]).doUpdateSet(lease))
        .execute();
    }
    return done({ ...lease, items: await namesOf(tx, run, items) });
  });
}

/** @returns How many items the lease still has: expired ones may be another's by now. */
export async function renewLease(
  context: RegistryContext,
  ref: RunRef,
  { token, ms }: { readonly token: string; readonly ms: number },
): Promise<number> {
  const outcome = await inTransaction(context, async (tx) => {
    const run = await findRun(tx, ref);
    if (run.kind === "refused") return run;
    const at = context.now();
    const renewed = await tx
      .updateTable("run_leases")
      .set({ expires_at: later(at, ms) })
      .where("run_key", "=", run.value.key)
      .where("token", "=", token)
      .where("expires_at", ">", at)
      .returning("item")
      .execute();
    return done(renewed.length);
  });
  return outcome.kind === "done" ? outcome.value : 0;
}

/** An item that is not called any more can be taken at once: its lease has expired. */
export async function releaseLease(
  context: RegistryContext,
  ref: RunRef,
  token: string,
): Promise<void> {
  await inTransaction(context, async (tx) => {
    const run = await findRun(tx, ref);
    if (run.kind === "refused") return run;
    await tx
      .updateTable("run_leases")
      .set({ expires_at: context.now() })
      .where("run_key", "=", run.value.key)
      .where("token", "=", token)
      .execute();
    return done(null);
  });
}

function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

async function expiredItems(
  tx: RegistryDatabase,
  runKey: string,
  at: string,
  count: number,
): Promise<readonly number[]> {
  const rows = await tx
    .selectFrom("run_leases")
    .select("item")
    .where("run_key", "=", runKey)
    .where("expires_at", "<=", at)
    .orderBy("item")
    .limit(count)
    .execute();
  return rows.map(({ item }) => item);
}

/** Items that were never leased and have no result, and where the next ones begin. */
async function freshItems(
  tx: RegistryDatabase,
  run: RunRow,
  count: number,
): Promise<{ readonly items: readonly number[]; readonly next: number }> {
  const total = run.cases * itemsPerCase(run);
  const items: number[] = [];
  let next = run.next_item;
  while (items.length < count && next < total) {
    const end = Math.min(next + count - items.length, total);
    const called = await calledItems(tx, run, { first: next, end });
    for (let item = next; item < end; item++) if (!called.has(item)) items.push(item);
    next = end;
  }
  return { items, next };
}

/** Items that have a result although they were never leased: a client may add them. */
async function calledItems(
  tx: RegistryDatabase,
  run: RunRow,
  { first, end }: { readonly first: number; readonly end: number },
): Promise<ReadonlySet<number>> {
  const order = orderOf(run);
  const rows = await tx
    .selectFrom("run_results")
    .select(["case_number", "column_number", "trial"])
    .where("run_key", "=", run.key)
    .where("case_number", ">=", itemAt(order, first).case)
    .where("case_number", "<=", itemAt(order, end - 1).case)
    .execute();
  return new Set(
    rows.map(({ case_number, column_number: column, trial }) =>
      indexOfItem(order, { case: case_number, column, trial }),
    ),
  );
}

async function namesOf(
  tx: RegistryDatabase,
  run: RunRow,
  items: readonly number[],
): Promise<readonly RunItem[]> {
  const places = items.map((item) => itemAt(orderOf(run), item));
  const numbers = [...new Set(places.map((place) => place.case))];
  if (numbers.length === 0) return [];
  const rows = await tx
    .selectFrom("run_cases")
    .select(["number", "id"])
    .where("run_key", "=", run.key)
    .where("number", "in", numbers)
    .execute();
  const ids = new Map(rows.map(({ number, id }) => [number, id]));
  return places.map(({ case: number, column, trial }) => ({
    column: run.spec.columns[column]?.name ?? "",
    case: ids.get(number) ?? "",
    trial,
  }));
}
