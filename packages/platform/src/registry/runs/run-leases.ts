import { randomBytes } from "node:crypto";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inTransaction } from "../registry-context.ts";
import { done } from "../registry-outcome.ts";
import { costStop } from "./cost-stop.ts";
import { indexOfItem, itemAt } from "./run-items.ts";
import type {
  CaseContent,
  LeasedItem,
  LeaseRequest,
  LeasingWorker,
  RunLease,
  RunRef,
} from "./run-registry.ts";
import { findRun, itemsPerCase, orderOf, type RunRow, runDocument } from "./run-rows.ts";

/**
 * Leases items of a run. Each item before `next_item` has a result or a lease; so those to call are the
 * expired leases, and what follows. A server that is killed keeps its items until they expire.
 */
export async function leaseItems(
  tx: RegistryDatabase,
  { now }: Pick<RegistryContext, "now">,
  run: RunRow,
  { count, ms, worker }: LeaseRequest,
): Promise<RunLease> {
  const at = now();
  const token = worker?.id ?? randomBytes(16).toString("hex");
  const lease = { token, expires_at: later(at, ms) };
  if (worker !== undefined) await announceWorker(tx, run.key, worker.id, lease.expires_at);
  const held = await heldLeases(tx, run.key, at);
  const room = worker ? await roomFor(tx, run.key, worker, held, at) : count;
  const document = runDocument(run);
  const stop = costStop(document.costs, document.plan?.max_cost ?? null);
  const most = stop === undefined ? Math.min(count, room) : 0;
  const expired = most === 0 ? [] : await expiredItems(tx, run.key, at, most);
  const fresh = await freshItems(tx, run, most - expired.length);
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
  const leased = held.all + items.length;
  return { ...lease, items: await leasedItems(tx, run, items), leased, run: document, stop };
}

/** Leases that have not expired. */
interface HeldLeases {
  readonly all: number;
  readonly of: ReadonlyMap<string, number>;
}

async function heldLeases(tx: RegistryDatabase, runKey: string, at: string): Promise<HeldLeases> {
  const rows = await tx
    .selectFrom("run_leases")
    .select("token")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("run_key", "=", runKey)
    .where("expires_at", ">", at)
    .groupBy("token")
    .execute();
  const of = new Map(rows.map(({ token, count }) => [token, Number(count)]));
  return { all: [...of.values()].reduce((sum, each) => sum + each, 0), of };
}

/** A worker has no more than its share, so that those that come later get theirs. */
async function roomFor(
  tx: RegistryDatabase,
  runKey: string,
  { id, most }: LeasingWorker,
  { all, of }: HeldLeases,
  at: string,
): Promise<number> {
  const { workers } = await tx
    .selectFrom("run_workers")
    .select(({ fn }) => fn.countAll().as("workers"))
    .where("run_key", "=", runKey)
    .where("expires_at", ">", at)
    .executeTakeFirstOrThrow();
  const share = Math.ceil(most / Math.max(Number(workers), 1));
  return Math.max(0, Math.min(most - all, share - (of.get(id) ?? 0)));
}

async function announceWorker(
  tx: RegistryDatabase,
  runKey: string,
  worker: string,
  expires_at: string,
): Promise<void> {
  await tx
    .insertInto("run_workers")
    .values({ run_key: runKey, worker, expires_at })
    .onConflict((conflict) => conflict.columns(["run_key", "worker"]).doUpdateSet({ expires_at }))
    .execute();
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
    await tx
      .updateTable("run_workers")
      .set({ expires_at: later(at, ms) })
      .where("run_key", "=", run.value.key)
      .where("worker", "=", token)
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
    await tx
      .deleteFrom("run_workers")
      .where("run_key", "=", run.value.key)
      .where("worker", "=", token)
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

async function leasedItems(
  tx: RegistryDatabase,
  run: RunRow,
  items: readonly number[],
): Promise<readonly LeasedItem[]> {
  const places = items.map((item) => itemAt(orderOf(run), item));
  const numbers = [...new Set(places.map((place) => place.case))];
  if (numbers.length === 0) return [];
  const rows = await tx
    .selectFrom("run_cases")
    .select(["number", "id", "content"])
    .where("run_key", "=", run.key)
    .where("number", "in", numbers)
    .execute();
  const cases = new Map(
    rows.map(({ number, id, content }) => [
      number,
      { case: id, content: content === null ? null : (JSON.parse(content) as CaseContent) },
    ]),
  );
  return places.map(({ case: number, column, trial }) => ({
    column: run.spec.columns[column]?.name ?? "",
    case: "",
    content: null,
    ...cases.get(number),
    trial,
  }));
}
