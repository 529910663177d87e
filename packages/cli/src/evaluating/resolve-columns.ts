import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Build, type Environment, isRecord, type ResolvedConfig } from "@agate/protocol";
import { apiPath } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import { EvalFailure } from "./eval-failure.ts";
import { readRun } from "./kept-run.ts";
import { platformOutputs } from "./platform-outputs.ts";
import type { EvalPlatform } from "./report-run.ts";
import type { RunColumn, RunColumns } from "./run-column.ts";

/** What the command line says about columns. */
export interface WantedColumns {
  readonly candidate?: string | undefined;
  readonly baseline?: string | undefined;
  /** Of an application that runs elsewhere, as the candidate. */
  readonly url?: string | undefined;
}

/** Where references to columns are looked up. */
export interface ColumnsPlace {
  /** Of `package.json`. */
  readonly folder: string;
  /** The slug of the application. */
  readonly application: string;
  readonly platform: EvalPlatform | undefined;
  /** Told of what a reference does not mean. */
  readonly note: (sentence: string) => void;
}

const RUN = "run:";
const ENVIRONMENT = "env:";
const CONFIG_FILE = "agate.config.json";

/**
 * The columns of a run. A configuration of the platform is pinned to its revision.
 *
 * @throws EvalFailure where one is not there.
 */
export async function resolveColumns(
  { candidate, baseline, url }: WantedColumns,
  place: ColumnsPlace,
): Promise<RunColumns> {
  if (url !== undefined && candidate !== undefined) {
    throw new EvalFailure("Pass --url or --candidate, not both.");
  }
  return {
    candidate:
      url === undefined ? await candidateOf(candidate, place) : { kind: "url", label: url, url },
    ...(baseline !== undefined && { baseline: await columnOf("--baseline", baseline, place) }),
  };
}

async function candidateOf(ref: string | undefined, place: ColumnsPlace): Promise<RunColumn> {
  if (ref !== undefined || place.platform === undefined) {
    return columnOf("--candidate", ref ?? "default", place);
  }
  if (existsSync(join(place.folder, CONFIG_FILE))) {
    place.note(
      `The candidate is this code with its own values: with a platform, ${CONFIG_FILE} is not read. Pass --candidate for a variant of the platform.`,
    );
  }
  return { kind: "code", ref: "this code", label: "this code", target: { by: "code" } };
}

async function columnOf(option: string, ref: string, place: ColumnsPlace): Promise<RunColumn> {
  if (ref.startsWith(RUN)) {
    return storedColumn(option, ref, place);
  }
  return place.platform === undefined
    ? ownColumn(option, ref, place.folder)
    : await platformColumn(option, ref, place, place.platform);
}

/** An earlier run: one that is kept here, else one that the platform has. */
async function storedColumn(
  option: string,
  ref: string,
  { folder, platform }: ColumnsPlace,
): Promise<RunColumn> {
  const id = ref.slice(RUN.length);
  const kept = readRun(folder, id);
  if (kept !== undefined) {
    const { header, find } = kept;
    const outputs = { scorers: header.scorers, find };
    return { kind: "stored", label: ref, platform: header.platform, outputs };
  }
  if (platform === undefined) {
    throw new EvalFailure(`${option}: no run ${id} in .agate/evaluations.`);
  }
  const outputs = await platformOutputs(platform, id);
  if (outputs === undefined) {
    throw new EvalFailure(
      `${option}: no run ${id}, neither in .agate/evaluations nor on the platform.`,
    );
  }
  return { kind: "stored", label: ref, platform: platform.api.connection.url, outputs };
}

/** Without a platform. */
function ownColumn(option: string, ref: string, folder: string): RunColumn {
  if (ref.includes("@") || ref.startsWith(ENVIRONMENT)) {
    throw new EvalFailure(
      `${option} ${ref} is a configuration of a platform. Set AGATE_BASE_URL, or pass default, a variant of ${CONFIG_FILE}, or run:ID.`,
    );
  }
  if (ref.includes(":")) throw new EvalFailure(wrongRef(option, ref));
  const variants = fileVariants(folder);
  if (variants?.includes(ref)) {
    const target = { by: "variant", slug: ref, revision: undefined } as const;
    return { kind: "code", ref, label: ref, target };
  }
  if (ref === "default") return { kind: "code", ref, label: ref, target: { by: "code" } };
  const wanted = `${option} ${ref}`;
  throw new EvalFailure(
    variants === undefined
      ? `${wanted}: there is no ${CONFIG_FILE} that could have such a variant.`
      : `${wanted}: ${CONFIG_FILE} has no such variant. It has ${variants.join(", ") || "none"}.`,
  );
}

/** The variants of the project's configuration file; undefined where it has no such file. */
function fileVariants(folder: string): readonly string[] | undefined {
  const path = join(folder, CONFIG_FILE);
  if (!existsSync(path)) return undefined;
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8"));
    const variants = isRecord(file) ? file.variants : undefined;
    return isRecord(variants) ? Object.keys(variants) : [];
  } catch (error) {
    throw new EvalFailure(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** This code, or a build that is live in an environment, with a configuration of the platform. */
async function platformColumn(
  option: string,
  ref: string,
  { application, note }: ColumnsPlace,
  { api, describe }: EvalPlatform,
): Promise<RunColumn> {
  const query = queryOf(ref);
  if (query === undefined) throw new EvalFailure(wrongRef(option, ref));
  try {
    const live = "environment" in query && (await liveColumn(api, application, query.environment));
    if (live) return live;
    const path = apiPath`/registry/applications/${application}/config`;
    const { value } = await api.get<ResolvedConfig>(path, query);
    const { id, slug, revision } = value.variant;
    const pinned = `${slug}@${revision}`;
    if ("environment" in query) {
      note(
        `${option} ${ref} is this code with ${pinned}, the configuration that is live there: the platform has no build of that environment.`,
      );
    }
    const label = ref === pinned ? ref : `${ref} (${pinned})`;
    return { kind: "code", ref, label, target: { by: "variant", slug, id, revision } };
  } catch (error) {
    const isMissing =
      error instanceof ApiFailure && error.why.kind === "refused" && error.why.status === 404;
    if (isMissing) throw new EvalFailure(`${option} ${ref}: ${describe(error)}`);
    throw error;
  }
}

/**
 * Build and revision that are live in an environment, read together: a deploy in between must not mix
 * them. Undefined where the platform has no build to run, as of code that runs elsewhere.
 */
async function liveColumn(
  api: EvalPlatform["api"],
  application: string,
  environment: string,
): Promise<RunColumn | undefined> {
  const path = apiPath`/registry/applications/${application}/environments/${environment}`;
  const { deployment } = (await api.get<Environment>(path)).value;
  if (deployment?.build?.kind !== "hosted") return undefined;
  const { variant } = deployment;
  const { slug, revision } = variant;
  const { id, number } = deployment.build;
  const { value: build } = await api.get<Build>(
    apiPath`/registry/applications/${application}/builds/${id}`,
  );
  const ref = `${ENVIRONMENT}${environment}`;
  const label = `${ref} (build ${number}, ${slug}@${revision})`;
  const target = { by: "variant", slug, id: variant.id, revision } as const;
  return { kind: "build", ref, label, target, build };
}

type ConfigQuery =
  | { readonly environment: string }
  | { readonly variant: string; readonly revision?: string };

/** @example queryOf("default@3") // { variant: "default", revision: "3" } */
function queryOf(ref: string): ConfigQuery | undefined {
  const environment = /^env:([^:@]+)$/.exec(ref)?.[1];
  if (environment !== undefined) return { environment };
  const [, variant, revision] = /^([^:@]+)(?:@([1-9]\d{0,8}))?$/.exec(ref) ?? [];
  if (variant === undefined) return undefined;
  return revision === undefined ? { variant } : { variant, revision };
}

function wrongRef(option: string, ref: string): string {
  return `${option} must be a variant (default, default@3), env:NAME or run:ID (got ${JSON.stringify(ref)}).`;
}
