import type { Build, Deployment, RevisionRef } from "@agate/protocol";
import { expect } from "vitest";
import type { OpenRegistryDatabase } from "../../stores/registry/open-registry-database.ts";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { SecretKey } from "../../variables/secret-keys.ts";
import { newSecretKey, SecretKeys } from "../../variables/secret-keys.ts";
import type { Activation, Authorship, ChangeRequest } from "../deployment-change.ts";
import { newId } from "../names.ts";
import { openRegistry } from "../open-registry.ts";
import type { ApplicationRef, NewBuild, Registry } from "../registry.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";

/** How the suite gets at a database; `open` may be called again after a close, over the same data. */
export interface RegistryUnderTest {
  open(): Promise<OpenRegistryDatabase>;
  /** Resolves when everything that was committed before has been told; at once where nothing is left out. */
  settle?(database: OpenRegistryDatabase): Promise<void>;
  /** How many random histories are tried; 30 where nothing is said. */
  readonly histories?: number;
  dispose(): Promise<void>;
}

export const BY_TESTS = { by: "tests", message: "" };

/** The registry that a contract test looks at. Every test takes a project and an application of its own. */
export class Subject {
  readonly #under: RegistryUnderTest;
  #database: OpenRegistryDatabase | undefined;
  #registry: Registry | undefined;
  #count = 0;
  #project = "";
  /** The one that secrets are sealed with. */
  readonly key = newSecretKey();
  /** Advances with every look at it, so that times tell the order. */
  #time = Date.UTC(2026, 0, 1);

  constructor(under: RegistryUnderTest) {
    this.#under = under;
  }

  get registry(): Registry {
    if (this.#registry === undefined) throw new Error("The registry under test is not open");
    return this.#registry;
  }

  get histories(): number {
    return this.#under.histories ?? 30;
  }

  get project(): string {
    return this.#project;
  }

  /** The application `support`. */
  get app(): ApplicationRef {
    return { project: this.#project, application: "support" };
  }

  async open(): Promise<void> {
    this.#database = await this.#under.open();
    this.#registry = await this.registryWith(keysOf(this.key));
  }

  /** Another registry over the same database, as a server with these keys has it. Not to be closed. */
  registryWith(
    secretKeys: SecretKeys,
    now: () => Date = () => new Date(this.#time++),
  ): Promise<Registry> {
    if (this.#database === undefined) throw new Error("The registry under test is not open");
    return openRegistry(this.#database, { now, secretKeys });
  }

  /** The database below the registry, for what a registry would not do to it. */
  get db(): RegistryDatabase {
    if (this.#database === undefined) throw new Error("The registry under test is not open");
    return this.#database.db;
  }

  /** Begins with an empty project. */
  async freshProject(): Promise<void> {
    this.#project = done(await this.registry.projects.create(this.unusedSlug())).id;
  }

  /** Begins with an application `support` that has a variant `default` with these revisions. */
  async freshApplication(...revisions: unknown[]): Promise<void> {
    await this.freshProject();
    done(await this.registry.applications.create(this.#project, "support"));
    done(await this.registry.variants.create(this.app, "default"));
    for (const params of revisions) await this.commit("default", params);
  }

  unusedSlug(): string {
    return `test-${++this.#count}`;
  }

  async commit(variant: string, params: unknown): Promise<void> {
    const { latest_revision: baseRevision } = done(
      await this.registry.variants.get(this.app, variant),
    );
    const commit = { ...BY_TESTS, params, baseRevision };
    done(await this.registry.revisions.commit(this.app, variant, commit));
  }

  /** Begins a build with its next number. */
  async begin(build: Partial<NewBuild> = {}): Promise<Build> {
    const id = newId("bld");
    const record = { ...BY_TESTS, size: 1, sdkVersion: "0.1.0", allow: [], manifestHash: "" };
    const code = { archiveHash: id, commit: null, hasEvals: false };
    return done(await this.registry.builds.begin(this.app, { id, ...record, ...code, ...build }));
  }

  /** Carries a change out, as the deployer does: with what a started build answers, where there is one. */
  async change(
    request: AskedChange,
    under: Parameters<Registry["deployments"]["apply"]>[2] = {},
  ): Promise<RegistryOutcome<Activation>> {
    const environmentLoc = ["path", "environment"];
    const asked = { ...BY_TESTS, accepts: "compatible", environmentLoc, ...request } as const;
    const pinned = await this.registry.deployments.pin(this.app, asked as ChangeRequest);
    if (pinned.kind === "refused") return pinned;
    return this.registry.deployments.apply(this.app, pinned.value, under);
  }

  /** Deploys a revision: where the environment has no code, with a build of which no routes are known. */
  async deploy(
    environment: string,
    variant: string,
    revision: number | null = null,
    authorship: Authorship = BY_TESTS,
  ): Promise<RegistryOutcome<Deployment>> {
    const place = await this.registry.environments.get(this.app, environment);
    const hasCode = place.kind === "refused" || place.value.deployment !== null;
    const build = hasCode ? null : (await this.begin()).id;
    const what = {
      kind: "deploy",
      build,
      config: { variant, revision },
      configIn: "body",
    } as const;
    return deploymentOf(await this.change({ ...authorship, ...what, environment }));
  }

  /** What a running workflow gets: `default@3`, or the type of the problem. */
  async resolved(which: RevisionRef): Promise<string> {
    const outcome = await this.registry.resolve(this.app, which);
    if (outcome.kind === "refused") return outcome.problems[0].type;
    const { slug, revision } = outcome.value.variant;
    return `${slug}@${revision}`;
  }

  live(environment: string): Promise<string> {
    return this.resolved({ kind: "environment", environment });
  }

  /** Resolves when everything that was done before has been told. */
  async settle(): Promise<void> {
    if (this.#database !== undefined) await this.#under.settle?.(this.#database);
  }

  /** Counts what is told of the application while something happens. */
  async announcements(work: () => Promise<unknown>): Promise<number> {
    const { id } = done(await this.registry.applications.get(this.app));
    let count = 0;
    await this.settle();
    const stop = this.registry.changes.subscribe(id, () => count++);
    await work();
    await this.settle();
    stop();
    return count;
  }
}

/** The first one seals. */
export function keysOf(...keys: readonly SecretKey[]): SecretKeys {
  return new SecretKeys({ read: () => keys, create: null });
}

/** A change as tests ask for it. */
export type AskedChange = { readonly environment: string } & (
  | Omit<Extract<ChangeRequest, { kind: "deploy" }>, keyof Left | "environment">
  | Omit<Extract<ChangeRequest, { kind: "promotion" }>, keyof Left | "environment">
  | Omit<Extract<ChangeRequest, { kind: "rollback" }>, keyof Left | "environment">
) &
  Partial<Left>;

/** What has a value of its own where a test does not give one. */
type Left = Pick<ChangeRequest, "by" | "message" | "accepts" | "environmentLoc">;

export function deploymentOf(outcome: RegistryOutcome<Activation>): RegistryOutcome<Deployment> {
  return outcome.kind === "refused" ? outcome : { kind: "done", value: outcome.value.deployment };
}

/** The value of an outcome that must be there. */
export function done<Value>(outcome: RegistryOutcome<Value>): Value {
  expect(outcome).toMatchObject({ kind: "done" });
  return (outcome as { value: Value }).value;
}

/** The problems of an outcome that must have some. */
export function problems(outcome: RegistryOutcome<unknown>): readonly RegistryProblem[] {
  expect(outcome).toMatchObject({ kind: "refused" });
  return (outcome as { problems: readonly RegistryProblem[] }).problems;
}

/** The one problem of an outcome, with its message. */
export function problem(outcome: RegistryOutcome<unknown>): RegistryProblem {
  const [first, ...others] = problems(outcome);
  expect(others).toEqual([]);
  return first as RegistryProblem;
}
