import type {
  Application,
  ApplicationSchema,
  Build,
  BuildPermission,
  ConfigDiff,
  Deployment,
  Environment,
  EnvironmentVariables,
  ListedRevision,
  ListedScorersRevision,
  Project,
  ProjectRedaction,
  RegistryVariant,
  RekeyResult,
  ResolvedConfig,
  Revision,
  RevisionRef,
  ScorersRevision,
  ServerStatus,
} from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import type { RegistrySignals } from "../stores/registry/registry-signals.ts";
import type { LeaseToken } from "./deploy-leases.ts";
import type {
  Activation,
  Authorship,
  ChangeCheck,
  ChangeRequest,
  HostedEnvironment,
  PinnedChange,
} from "./deployment-change.ts";
import type { Page, PageRequest } from "./paging.ts";
import type { RegistryOutcome } from "./registry-outcome.ts";
import type { Runs } from "./runs/run-registry.ts";
import type { TestSets } from "./testsets/test-sets.ts";
import type { VariablesChange, VariableValues } from "./variables-change.ts";

/** An application of a project: by its slug or its id. */
export interface ApplicationRef {
  /** The project's id. */
  readonly project: string;
  readonly application: string;
}

/** The environment and the build of a process. */
export interface DeployedPair {
  readonly environmentId: string;
  readonly buildId: string;
}

/** Project → application → variant → revision, and environment → deployment; and an application's builds. */
export interface Registry {
  readonly projects: Projects;
  readonly redaction: RedactionSettings;
  readonly applications: Applications;
  readonly variants: Variants;
  readonly revisions: Revisions;
  readonly environments: Environments;
  readonly variables: Variables;
  readonly deployments: Deployments;
  readonly builds: Builds;
  readonly runs: Runs;
  readonly scorers: ScorerRevisions;
  readonly reports: ServerReports;
  readonly testSets: TestSets;
  readonly changes: ChangeFeed;
  /** Everything that is told, of every application: of builds, projects and keys too. */
  readonly signals: Pick<RegistrySignals, "subscribe">;
  /**
   * What a running workflow asks for: see docs/reference/config-resolution.md.
   *
   * @param pair Of a process that the platform runs: it gets what was last deployed together with its build.
   */
  resolve(
    ref: ApplicationRef,
    which: RevisionRef,
    pair?: DeployedPair,
  ): Promise<RegistryOutcome<ResolvedConfig>>;
  close(): Promise<void>;
}

export interface Projects {
  list(): Promise<readonly Project[]>;
  /** By slug or id. */
  get(project: string): Promise<RegistryOutcome<Project>>;
  create(slug: string): Promise<RegistryOutcome<Project>>;
  rename(project: string, slug: string): Promise<RegistryOutcome<Project>>;
  /** Refuses the default project, and one that has applications. Its keys go with it. */
  delete(project: string): Promise<RegistryOutcome<Project>>;
}

/** What the spans and logs of a project are stored without. */
export interface RedactionSettings {
  /** Without rules where none were set. */
  get(project: string): Promise<RegistryOutcome<ProjectRedaction>>;
  /** Replaces the rules. `rules` is unchecked: anything wrong with it is a problem. */
  set(project: string, rules: unknown, by: string): Promise<RegistryOutcome<ProjectRedaction>>;
}

export interface Applications {
  list(project: string): Promise<readonly Application[]>;
  get(ref: ApplicationRef): Promise<RegistryOutcome<Application>>;
  /** With the environments development, staging and production. */
  create(project: string, slug: string): Promise<RegistryOutcome<Application>>;
  /** Gets it, or makes it as {@link create} does. */
  ensure(project: string, slug: string): Promise<RegistryOutcome<Application>>;
  rename(ref: ApplicationRef, slug: string): Promise<RegistryOutcome<Application>>;
  /** Refuses while anything of it is live. */
  delete(ref: ApplicationRef): Promise<RegistryOutcome<Application>>;
  /** Of the build that is live in an environment: the default one when it is null. */
  schema(
    ref: ApplicationRef,
    environment?: string | null,
  ): Promise<RegistryOutcome<ApplicationSchema>>;
  /**
   * Registers a workflow that runs elsewhere: makes what it answers as its `/openapi.json` the code of an
   * environment, unless the configuration that is live there does not satisfy it.
   */
  putSchema(
    ref: ApplicationRef,
    openapi: unknown,
    options: PutSchemaOptions,
  ): Promise<RegistryOutcome<ApplicationSchema>>;
}

export interface PutSchemaOptions {
  /** Null is the default one. */
  readonly environment: string | null;
  readonly by: string;
  /** Takes any schema, with a first configuration that sets nothing: for `agate dev`. */
  readonly isDevelopment?: boolean;
}

export interface Variants {
  list(ref: ApplicationRef): Promise<RegistryOutcome<readonly RegistryVariant[]>>;
  get(ref: ApplicationRef, variant: string): Promise<RegistryOutcome<RegistryVariant>>;
  create(ref: ApplicationRef, slug: string): Promise<RegistryOutcome<RegistryVariant>>;
  rename(
    ref: ApplicationRef,
    variant: string,
    slug: string,
  ): Promise<RegistryOutcome<RegistryVariant>>;
  /** Refuses while one of its revisions is live. */
  delete(ref: ApplicationRef, variant: string): Promise<RegistryOutcome<RegistryVariant>>;
  /** A new variant whose revision 1 has the parameters of a revision of this one. */
  fork(
    ref: ApplicationRef,
    source: { readonly variant: string; readonly revision: number | null },
    slug: string,
    authorship: Authorship,
  ): Promise<RegistryOutcome<RegistryVariant>>;
}

export interface Revisions {
  list(
    ref: ApplicationRef,
    variant: string,
    page: PageRequest,
  ): Promise<RegistryOutcome<Page<ListedRevision>>>;
  /** Null is the latest. */
  get(
    ref: ApplicationRef,
    variant: string,
    revision: number | null,
  ): Promise<RegistryOutcome<Revision>>;
  /**
   * Adds a revision on top of `baseRevision`, which must be the latest (0: there is none yet).
   * `params` is unchecked: anything wrong with it, by the schema too, is a problem. Fields that it does
   * not set get their default, so that later builds do not change them.
   */
  commit(
    ref: ApplicationRef,
    variant: string,
    commit: Authorship & {
      readonly params: unknown;
      readonly baseRevision: number;
      /** Whose build it is checked against; absent: the application's. */
      readonly environment?: string | null;
    },
  ): Promise<RegistryOutcome<Revision>>;
  diff(
    ref: ApplicationRef,
    from: RevisionRef,
    to: RevisionRef,
  ): Promise<RegistryOutcome<ConfigDiff>>;
}

/** The line of an application's scorer configurations. */
export interface ScorerRevisions {
  list(
    ref: ApplicationRef,
    page: PageRequest,
  ): Promise<RegistryOutcome<Page<ListedScorersRevision>>>;
  /** Null is the latest. */
  get(ref: ApplicationRef, revision: number | null): Promise<RegistryOutcome<ScorersRevision>>;
  /**
   * Adds a revision on top of `baseRevision`, which must be the latest (0: there is none yet). `configs`
   * is unchecked. Only its shape is checked: the fields are those of the code that a run has.
   */
  commit(
    ref: ApplicationRef,
    commit: Authorship & { readonly configs: unknown; readonly baseRevision: number },
  ): Promise<RegistryOutcome<ScorersRevision>>;
}

export interface Environments {
  list(ref: ApplicationRef): Promise<RegistryOutcome<readonly Environment[]>>;
  get(ref: ApplicationRef, environment: string): Promise<RegistryOutcome<Environment>>;
  create(ref: ApplicationRef, slug: string): Promise<RegistryOutcome<Environment>>;
  rename(
    ref: ApplicationRef,
    environment: string,
    slug: string,
  ): Promise<RegistryOutcome<Environment>>;
  /** Switches its playground. */
  setPlayground(
    ref: ApplicationRef,
    environment: string,
    isOn: boolean,
  ): Promise<RegistryOutcome<Environment>>;
  /** Refuses while something is live there, and the default one. */
  delete(ref: ApplicationRef, environment: string): Promise<RegistryOutcome<Environment>>;
}

export interface ChangedVariables {
  readonly variables: EnvironmentVariables;
  /** As {@link LiveBuild.since} of the environment's live build, which all servers start anew; null without one. */
  readonly since: string | null;
}

/** Variables and secrets of environments. They are never promoted and never rolled back. */
export interface Variables {
  /** Never with the value of a secret. */
  list(ref: ApplicationRef, environment: string): Promise<RegistryOutcome<EnvironmentVariables>>;
  /** What processes would get after a change, checked as {@link change} does. Writes nothing. */
  preview(
    ref: ApplicationRef,
    environment: string,
    change: VariablesChange,
  ): Promise<RegistryOutcome<VariableValues>>;
  change(
    ref: ApplicationRef,
    environment: string,
    change: VariablesChange,
    by: string,
    lease?: LeaseToken | null,
  ): Promise<RegistryOutcome<ChangedVariables>>;
  /** Of an environment, by its id: for its processes. */
  values(environmentId: string): Promise<VariableValues>;
  /** Names that one environment has and another lacks, by name: for a promotion. */
  lacking(
    ref: ApplicationRef,
    environments: { readonly from: string; readonly to: string },
  ): Promise<RegistryOutcome<readonly string[]>>;
  /** How many keys of stored secrets this server lacks. */
  unreadableKeys(): Promise<number>;
  /** Encrypts all secrets, of every project, with the first key. Reads the keys again before. */
  rekey(): Promise<RegistryOutcome<RekeyResult>>;
}

export interface Deployments {
  /** Newest first; of one environment, or of all when it is null. */
  list(
    ref: ApplicationRef,
    environment: string | null,
    page: PageRequest,
  ): Promise<RegistryOutcome<Page<Deployment>>>;
  /** Finds what a request names. What it does not name is found when it is applied. Changes nothing. */
  pin(ref: ApplicationRef, request: ChangeRequest): Promise<RegistryOutcome<PinnedChange>>;
  /**
   * Whether a change may be applied: its revision against the routes of its build, and what its
   * environment would lose.
   *
   * @param openapi What the build answers as its `/openapi.json`; without it, what it answered before.
   */
  check(
    ref: ApplicationRef,
    change: PinnedChange,
    openapi?: unknown,
  ): Promise<RegistryOutcome<ChangeCheck>>;
  /** Makes a change live in one transaction, after the same check. */
  apply(
    ref: ApplicationRef,
    change: PinnedChange,
    under?: { readonly openapi?: unknown; readonly leases?: readonly LeaseToken[] },
  ): Promise<RegistryOutcome<Activation>>;
  /** Nothing is live there afterwards: neither code nor configuration. */
  takeDown(
    ref: ApplicationRef,
    environment: string,
    lease?: LeaseToken | null,
  ): Promise<RegistryOutcome<Deployment>>;
}

/** The records of builds. Their files and processes are the business of `deployments/`. */
export interface Builds {
  list(ref: ApplicationRef, page: PageRequest): Promise<RegistryOutcome<Page<Build>>>;
  /** By its number or its id. */
  get(ref: ApplicationRef, build: string): Promise<RegistryOutcome<Build>>;
  /** What a build has answered of its routes, live or not. */
  schema(ref: ApplicationRef, build: string): Promise<RegistryOutcome<ApplicationSchema>>;
  /** The build of an archive that has served before; undefined where there is none. */
  findByArchive(ref: ApplicationRef, archiveHash: string): Promise<Build | undefined>;
  begin(ref: ApplicationRef, build: NewBuild): Promise<RegistryOutcome<Build>>;
  /** Refuses a build that has not served. @returns whether it did. */
  refuse(buildId: string, reason: string, lease?: LeaseToken | null): Promise<boolean>;
  /** The hosted builds that are live, of one application or of all: for starting them. */
  live(applicationId?: string): Promise<readonly LiveBuild[]>;
  /** Builds that are being started, or were when a platform ended. */
  unfinished(): Promise<readonly UnfinishedBuild[]>;
  /** Ids of an application's builds whose files are kept. */
  kept(applicationId: string): Promise<ReadonlySet<string>>;
  /** The newest build with eval files that has served; null where there is none. */
  newestWithEvals(ref: ApplicationRef): Promise<RegistryOutcome<Build | null>>;
  /** The evaluations of a build, as {@link keepEvaluations} has stored them. */
  evaluations(buildId: string): Promise<BuildEvaluations>;
  keepEvaluations(buildId: string, evaluations: readonly DeclaredEvaluation[]): Promise<void>;
}

export type BuildEvaluations =
  /** It has no eval files. */
  | { readonly kind: "none" }
  | { readonly kind: "unread" }
  | { readonly kind: "read"; readonly evaluations: readonly DeclaredEvaluation[] };

export interface NewBuild extends Authorship {
  readonly id: string;
  readonly size: number;
  readonly sdkVersion: string;
  /** What its program may do beyond the default. */
  readonly allow: readonly BuildPermission[];
  /** Hex of the SHA-256 of its manifest. */
  readonly manifestHash: string;
  /** Hex of the SHA-256 of its archive. */
  readonly archiveHash: string;
  /** The git commit that it was packed from. */
  readonly commit: string | null;
  readonly hasEvals: boolean;
}

export interface UnfinishedBuild {
  readonly id: string;
  /** What the server that deploys it holds a lease for. */
  readonly leaseKey: string;
}

/** A hosted build that is live in an environment. */
export interface LiveBuild {
  readonly environment: HostedEnvironment;
  readonly build: Build;
  /** Another one each time that its processes are to be started anew. */
  readonly since: string;
}

/** Notifies of changes after which an application's configuration may resolve to another revision. */
export interface ChangeFeed {
  /** In place when it returns: every later commit is announced. @returns how to unsubscribe. */
  subscribe(applicationId: string, listener: () => void): () => void;
}

/** What a server runs in one environment. */
export interface ServerReport {
  readonly environmentId: string;
  readonly buildId: string;
  /** How many of its processes take calls. */
  readonly processes: number;
  /** How often a process had to be started anew. */
  readonly restarts: number;
  /** How a process ended last; null while none has. */
  readonly lastExit: string | null;
  /** The resident size of the processes that take calls; null where it is not known. */
  readonly memoryBytes: number | null;
}

/** What the servers of a registry run. */
export interface ServerReports {
  /** Replaces all that a server has reported before. */
  write(serverId: string, reports: readonly ServerReport[]): Promise<void>;
  /** What servers have reported lately of an application, by environment and server. */
  list(ref: ApplicationRef): Promise<RegistryOutcome<readonly ServerStatus[]>>;
}
