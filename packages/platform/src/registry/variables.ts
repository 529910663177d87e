import type { EnvironmentVariables, Variable } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import type { OpenedSecret, SecretKeys } from "../variables/secret-keys.ts";
import { SEAL_PREFIX_LENGTH, SecretKeyError } from "../variables/secret-keys.ts";
import { lostLease } from "./deploy-leases.ts";
import type { EnvironmentRow } from "./environment-rows.ts";
import { findEnvironment } from "./environment-rows.ts";
import type { ApplicationRef, Variables } from "./registry.ts";
import type { RegistryContext } from "./registry-context.ts";
import { announcing, findApplication, inTransaction, storableText } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refusalOf, refused } from "./registry-outcome.ts";
import { sizeProblem, type VariablesChange, type VariableValues } from "./variables-change.ts";

/** Entries of the history that are read. */
const SHOWN_HISTORY = 100;

type VariableRow = Selectable<RegistryTables["variables"]>;

export function createVariables(context: RegistryContext): Variables {
  const { db, now, secretKeys } = context;
  return {
    async list(ref, environment) {
      const found = await environmentOf(db, ref, environment);
      return found.kind === "refused" ? found : done(await listed(db, secretKeys, found.value.id));
    },

    async preview(ref, environment, change) {
      const found = await environmentOf(db, ref, environment);
      if (found.kind === "refused") return found;
      return plan(db, found.value.id, change, secretKeys);
    },

    change: (ref, environment, change, by, lease = null) =>
      announcing(["variables"], context, ref, async (tx, application) => {
        const lost = await lostLease(tx, lease);
        if (lost !== undefined) return refused(lost);
        const found = await findEnvironment(tx, application.id, environment);
        if (found.kind === "refused") return found;
        const { id } = found.value;
        const planned = await plan(tx, id, change, secretKeys);
        if (planned.kind === "refused") return planned;
        const { version } = planned.value;
        const at = now();
        await write(tx, secretKeys, { id, version, change, by: storableText(by), at });
        const isRunning = await restartLive(tx, id, at);
        const variables = await listed(tx, secretKeys, id);
        return done({ variables, since: isRunning ? at : null });
      }),

    values: (environmentId) => currentValues(db, environmentId, secretKeys),

    async lacking(ref, { from, to }) {
      const source = await environmentOf(db, ref, from);
      if (source.kind === "refused") return source;
      const target = await environmentOf(db, ref, to);
      if (target.kind === "refused") return target;
      const names = new Set((await rowsOf(db, target.value.id)).map(({ name }) => name));
      const sources = await rowsOf(db, source.value.id);
      return done(sources.map(({ name }) => name).filter((name) => !names.has(name)));
    },

    async unreadableKeys() {
      const rows = await db
        .selectFrom("variables")
        .select(sql<string>`substr(value, 1, ${SEAL_PREFIX_LENGTH})`.as("prefix"))
        .distinct()
        .where("is_secret", "=", 1)
        .execute();
      return rows.filter(({ prefix }) => !secretKeys.hasKeyOf(prefix)).length;
    },

    async rekey() {
      const faulty = reloadKeys(secretKeys);
      if (faulty !== undefined) return refused(faulty);
      return inTransaction(context, async (tx) => {
        const rows = await tx
          .selectFrom("variables")
          .selectAll()
          .where("is_secret", "=", 1)
          .execute();
        let [rekeyed, unreadable] = [0, 0];
        for (const row of rows.filter(({ value }) => !secretKeys.isCurrent(value))) {
          const opened = openRow(row, secretKeys);
          if (opened.kind === "unreadable") unreadable += 1;
          // Another server may have set it meanwhile: the version tells.
          else if (await reseal(tx, secretKeys, row, opened.value)) rekeyed += 1;
        }
        return done({ rekeyed, unreadable });
      });
    },
  };
}

async function environmentOf(
  db: RegistryDatabase,
  ref: ApplicationRef,
  environment: string,
): Promise<RegistryOutcome<EnvironmentRow>> {
  const application = await findApplication(db, ref);
  if (application.kind === "refused") return application;
  return findEnvironment(db, application.value.id, environment);
}

function rowsOf(db: RegistryDatabase, environmentId: string): Promise<VariableRow[]> {
  return db
    .selectFrom("variables")
    .selectAll()
    .where("environment_id", "=", environmentId)
    .orderBy("name")
    .execute();
}

function openRow(row: VariableRow, keys: SecretKeys): OpenedSecret {
  const { environment_id: environmentId, name, version, value } = row;
  if (row.is_secret === 0) return { kind: "opened", value };
  return keys.open(value, { environmentId, name, version });
}

async function currentValues(
  db: RegistryDatabase,
  environmentId: string,
  keys: SecretKeys,
): Promise<VariableValues> {
  // Before the values: a change in between makes them newer than their number, not older.
  const version = await latestVersion(db, environmentId);
  return { version, ...valuesOf(await rowsOf(db, environmentId), keys) };
}

/** The number of the last change; 0 before the first. */
async function latestVersion(db: RegistryDatabase, environmentId: string): Promise<number> {
  const { latest } = await db
    .selectFrom("variable_history")
    .select(({ fn }) => fn.max("version").as("latest"))
    .where("environment_id", "=", environmentId)
    .executeTakeFirstOrThrow();
  return latest ?? 0;
}

function valuesOf(rows: readonly VariableRow[], keys: SecretKeys): Omit<VariableValues, "version"> {
  const values: VariableValues["values"][number][] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    const opened = openRow(row, keys);
    if (opened.kind === "unreadable") unreadable.push(row.name);
    else values.push({ name: row.name, value: opened.value, isSecret: row.is_secret === 1 });
  }
  return { values, unreadable };
}

async function listed(
  db: RegistryDatabase,
  keys: SecretKeys,
  environmentId: string,
): Promise<EnvironmentVariables> {
  const rows = await rowsOf(db, environmentId);
  const history = await db
    .selectFrom("variable_history")
    .selectAll()
    .where("environment_id", "=", environmentId)
    .orderBy("version", "desc")
    .orderBy("name")
    .limit(SHOWN_HISTORY)
    .execute();
  return {
    version: history[0]?.version ?? 0,
    items: rows.map((row) => variableDocument(row, keys)),
    history: history.map(({ name, action, version, changed_by: by, changed_at: at }) => {
      return { name, action, version, by, at };
    }),
  };
}

function variableDocument(row: VariableRow, keys: SecretKeys): Variable {
  const { name, version, updated_by, updated_at } = row;
  const secret = row.is_secret === 1;
  const status = openRow(row, keys).kind === "opened" ? "set" : "unreadable";
  const value = secret ? null : row.value;
  return { name, secret, value, status, version, updated_by, updated_at };
}

/** What an environment has after a change, which is checked against what there is. */
async function plan(
  db: RegistryDatabase,
  environmentId: string,
  change: VariablesChange,
  keys: SecretKeys,
): Promise<RegistryOutcome<VariableValues>> {
  if (change.set.length === 0 && change.unset.length === 0) {
    const msg = "Has neither a variable to set nor one to unset.";
    return refused({ type: "variable_invalid", loc: ["body"], msg });
  }
  const before = await rowsOf(db, environmentId);
  const known = new Set(before.map(({ name }) => name));
  const problems: RegistryProblem[] = change.unset.flatMap((name, index) => {
    if (known.has(name)) return [];
    const msg = `The environment has no variable ${shownValue(name)}.`;
    return [{ type: "variable_not_found" as const, loc: ["body", "unset", index], msg }];
  });
  const secret = change.set.find(({ isSecret }) => isSecret);
  if (secret !== undefined && !keys.canSeal)
    problems.push(keyMissing(["body", "set", secret.name]));
  const refusal = refusalOf(problems);
  if (refusal !== undefined) return refusal;
  const changed = new Set([...change.unset, ...change.set.map(({ name }) => name)]);
  const kept = valuesOf(
    before.filter(({ name }) => !changed.has(name)),
    keys,
  );
  const version = (await latestVersion(db, environmentId)) + 1;
  const values = [...kept.values, ...change.set];
  const after = { version, values, unreadable: kept.unreadable };
  const tooLarge = sizeProblem(after);
  return tooLarge === undefined ? done(after) : refused(tooLarge);
}

interface Written {
  /** The environment's id. */
  readonly id: string;
  readonly version: number;
  readonly change: VariablesChange;
  readonly by: string;
  readonly at: string;
}

async function write(
  tx: RegistryDatabase,
  keys: SecretKeys,
  { id, version, change, by, at }: Written,
): Promise<void> {
  const note = (name: string, action: "set" | "unset") =>
    tx
      .insertInto("variable_history")
      .values({ environment_id: id, name, version, action, changed_by: by, changed_at: at })
      .execute();
  for (const name of change.unset) {
    await tx
      .deleteFrom("variables")
      .where("environment_id", "=", id)
      .where("name", "=", name)
      .execute();
    await note(name, "unset");
  }
  for (const { name, value, isSecret } of change.set) {
    const row = {
      version,
      is_secret: isSecret ? 1 : 0,
      value: isSecret ? keys.seal(value, { environmentId: id, name, version }) : value,
      updated_by: by,
      updated_at: at,
    };
    await tx
      .insertInto("variables")
      .values({ environment_id: id, name, ...row })
      .onConflict((conflict) => conflict.columns(["environment_id", "name"]).doUpdateSet(row))
      .execute();
    await note(name, "set");
  }
}

/** Has all servers start the live build anew. Whether there is one. */
async function restartLive(
  tx: RegistryDatabase,
  environmentId: string,
  at: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("deployments")
    .set({ build_since: at })
    .where("environment_id", "=", environmentId)
    .where("ended_at", "is", null)
    .where("build_id", "is not", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether the row was still as it was read. */
async function reseal(
  tx: RegistryDatabase,
  keys: SecretKeys,
  row: VariableRow,
  value: string,
): Promise<boolean> {
  const { environment_id: environmentId, name, version } = row;
  const { numUpdatedRows } = await tx
    .updateTable("variables")
    .set({ value: keys.seal(value, { environmentId, name, version }) })
    .where("environment_id", "=", environmentId)
    .where("name", "=", name)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Why there is no key after a reload; undefined where there is one. */
function reloadKeys(keys: SecretKeys): RegistryProblem | undefined {
  try {
    keys.reload();
  } catch (error) {
    if (!(error instanceof SecretKeyError)) throw error;
    // Without its own message, which names a file of the server.
    const msg =
      "The server cannot read its keys: check what AGATE_SECRET_KEY_FILE or AGATE_SECRET_KEY names.";
    return { type: "secret_key_missing", loc: ["body"], msg };
  }
  return keys.canSeal ? undefined : keyMissing(["body"]);
}

function keyMissing(loc: RegistryProblem["loc"]): RegistryProblem {
  const msg =
    "The server has no key to encrypt secrets with. Set AGATE_SECRET_KEY_FILE or AGATE_SECRET_KEY, the same for all servers (`openssl rand -base64 32` makes a key), and restart it; or set the variable with `plain`.";
  return { type: "secret_key_missing", loc, msg };
}
