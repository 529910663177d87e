import { type RunColumn, shownValue } from "@agate/protocol";
import type { ApplicationRef, Registry } from "../registry/registry.ts";
import type { RegistryOutcome, RegistryRefusal } from "../registry/registry-outcome.ts";
import { done, refused } from "../registry/registry-outcome.ts";
import type { EvaluatedBuild } from "./evaluators.ts";

export type ResolvedColumn = RunColumn;

/** What the reference of a column begins with where its outputs are those of an earlier run. */
export const STORED = "run:";

interface AskedColumn {
  readonly name: "candidate" | "baseline";
  readonly ref: string;
}

/** Where the references of columns are looked up. */
export interface ColumnsPlace {
  readonly registry: Registry;
  readonly ref: ApplicationRef;
  /** Of the application. */
  readonly slug: string;
  /** Runs columns that name no environment; undefined where the application has none. */
  readonly code: EvaluatedBuild | undefined;
}

/** Resolves a column to its build, variant and revision. */
export async function resolveColumn(
  place: ColumnsPlace,
  column: AskedColumn,
): Promise<RegistryOutcome<ResolvedColumn>> {
  const loc = ["body", column.name];
  const stored = /^run:(.+)$/.exec(column.ref)?.[1];
  if (stored !== undefined) return storedColumn(place, column, stored);
  const environment = /^env:([^:@]+)$/.exec(column.ref)?.[1];
  if (environment !== undefined) return environmentColumn(place, column, environment);
  const [, variant, number] = /^([^:@]+)(?:@([1-9]\d{0,8}))?$/.exec(column.ref) ?? [];
  if (variant === undefined) {
    const msg = `Must be a variant (default, default@3), env:NAME or run:ID (got ${shownValue(column.ref)}).`;
    return refused({ type: "run_invalid", loc, msg });
  }
  const revision = number === undefined ? null : Number(number);
  const { registry, ref, code } = place;
  const found = await registry.revisions.get(ref, variant, revision);
  if (found.kind === "refused") return at(found, loc);
  const pinned = found.value.variant;
  return done({
    ...column,
    build: code?.build ?? null,
    variant: pinned.slug,
    variant_id: pinned.id,
    revision: pinned.revision,
  });
}

async function storedColumn(
  { registry: { runs }, ref: { project }, slug }: ColumnsPlace,
  column: AskedColumn,
  id: string,
): Promise<RegistryOutcome<ResolvedColumn>> {
  const loc = ["body", column.name];
  const found = await runs.get({ project, run: id });
  if (found.kind === "refused") return at(found, loc);
  const { application, status } = found.value;
  if (status === "running") {
    const msg = `Run ${shownValue(id)} has not ended. Its outputs can be scored anew when it has.`;
    return refused({ type: "run_invalid", loc, msg });
  }
  if (application !== slug) {
    const msg = `Run ${shownValue(id)} is one of another application, ${application}.`;
    return refused({ type: "run_invalid", loc, msg });
  }
  return done({ ...column, build: null, variant: null, revision: null });
}

async function environmentColumn(
  { registry: { environments }, ref, code }: ColumnsPlace,
  column: AskedColumn,
  environment: string,
): Promise<RegistryOutcome<ResolvedColumn>> {
  const loc = ["body", column.name];
  const found = await environments.get(ref, environment);
  if (found.kind === "refused") return at(found, loc);
  const live = found.value.deployment;
  if (live === null || live.build === null) {
    const msg = `Nothing is live in ${shownValue(found.value.slug)}. Deploy to it, or name a variant.`;
    return refused({ type: "build_missing", loc, msg });
  }
  // `agate dev` answers for environments whose code runs elsewhere.
  const isDevelopment = code !== undefined && code.build === null;
  if (live.build.kind !== "hosted" && !isDevelopment) {
    const msg = `The code of ${shownValue(found.value.slug)} runs elsewhere: the platform can't start it. Run agate eval --url instead.`;
    return refused({ type: "build_missing", loc, msg });
  }
  const { id, number } = live.build;
  return done({
    ...column,
    build: live.build.kind === "hosted" ? { id, number } : null,
    variant: live.variant.slug,
    variant_id: live.variant.id,
    revision: live.variant.revision,
  });
}

/** The registry names parameters of its own paths. */
function at(refusal: RegistryRefusal, loc: readonly string[]): RegistryRefusal {
  const [first, ...others] = refusal.problems.map((problem) => ({ ...problem, loc }));
  return first === undefined ? refusal : refused(first, ...others);
}
