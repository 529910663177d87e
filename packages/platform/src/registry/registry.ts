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
  Project,
  ProjectRedaction,
  RegistryVariant,
  RekeyResult,
  ResolvedConfig,
  Revision,
  RevisionRef,
  ServerStatus,
} from "@agate/protocol";
import type { RegistrySignals } from "../stores/registry/registry-signals.ts";
import type { RegistryOutcome } from "./registry-outcome.ts";
import type { VariablesChange, VariableValues } from "./variables-change.ts";

/** An application of a project: by its slug or its id. */
export interface ApplicationRef {
  /** The project's id. */
  readonly project: string;
  readonly application: string;
}

/** Who did something and why, for histories. */
export interface Authorship {
  readonly by: string;
  readonly message: string;
}

/** A part of a list, newest first. */
export interface PageRequest {
  readonly limit: number;
  /** Only what has a smaller number than this; null begins with the newest. */
  readonly before: number | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** For `before` of the next page; null on the last. */
  readonly next: number | null;
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
  readonly reports: ServerReports;
  readonly changes: ChangeFeed;
  /** Everything that is told, of every application: of builds, projects and keys too. */
  readonly signals: Pick<RegistrySignals, "subscribe">;
  /** What a running workflow asks for: see docs/reference/config-resolution.md. */
  resolve(ref: ApplicationRef, which: RevisionRef): Promise<RegistryOutcome<ResolvedConfig>>;
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
  /** Refuses while anything of it is live: a deployment or a build. */
  delete(ref: ApplicationRef): Promise<RegistryOutcome<Application>>;
  schema(ref: ApplicationRef): Promise<RegistryOutcome<ApplicationSchema>>;
  /**
   * Takes a workflow's `/openapi.json` as the application's schema, unless a configuration that is
   * live somewhere does not satisfy it; `force` takes it all the same.
   */
  putSchema(
    ref: ApplicationRef,
    openapi: unknown,
    options?: { readonly force?: boolean },
  ): Promise<RegistryOutcome<ApplicationSchema>>;
  /** What {@link putSchema} would refuse: one problem for each live value that does not fit. */
  checkSchema(ref: ApplicationRef, openapi: unknown): Promise<RegistryOutcome<ApplicationSchema>>;
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
   * `params` is unchecked: anything wrong with it, by the application's schema too, is a problem.
   */
  commit(
    ref: ApplicationRef,
    variant: string,
    commit: Authorship & { readonly params: unknown; readonly baseRevision: number },
  ): Promise<RegistryOutcome<Revision>>;
  diff(
    ref: ApplicationRef,
    from: RevisionRef,
    to: RevisionRef,
  ): Promise<RegistryOutcome<ConfigDiff>>;
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
  /** Refuses while something is live there. */
  delete(ref: ApplicationRef, environment: string): Promise<RegistryOutcome<Environment>>;
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
  ): Promise<RegistryOutcome<EnvironmentVariables>>;
  /** Of an environment, by its id: for its processes. */
  values(environmentId: string): Promise<VariableValues>;
  /** Of the default environment of an application, by its id. */
  defaultValues(applicationId: string): Promise<VariableValues>;
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
  /** Pins one revision: without a number the one that is the latest now. */
  deploy(
    ref: ApplicationRef,
    environment: string,
    what: Authorship & { readonly variant: string; readonly revision: number | null },
  ): Promise<RegistryOutcome<Deployment>>;
  /** Deploys what is live in another environment. */
  promote(
    ref: ApplicationRef,
    environment: string,
    from: Authorship & { readonly from: string },
  ): Promise<RegistryOutcome<Deployment>>;
  /**
   * Deploys again what an earlier deployment of the environment had: the one before the live one
   * that had another revision, when it is null.
   */
  rollBack(
    ref: ApplicationRef,
    environment: string,
    to: Authorship & { readonly deployment: string | null },
  ): Promise<RegistryOutcome<Deployment>>;
  /** Nothing is live there afterwards. */
  takeDown(ref: ApplicationRef, environment: string): Promise<RegistryOutcome<Deployment>>;
}

/** What is to become live together with a build; an absent variant is made, with all defaults. */
export interface DeployTarget extends Authorship {
  readonly environment: string;
  readonly variant: string;
  readonly revision: number | null;
}

/** The records of builds. Their files and processes are the business of `deployments/`. */
export interface Builds {
  list(ref: ApplicationRef, page: PageRequest): Promise<RegistryOutcome<Page<Build>>>;
  /** By its number or its id. */
  get(ref: ApplicationRef, build: string): Promise<RegistryOutcome<Build>>;
  begin(
    ref: ApplicationRef,
    build: Authorship & {
      readonly size: number;
      readonly sdkVersion: string;
      /** What its program may do beyond the default. */
      readonly allow: readonly BuildPermission[];
      /** Hex of the SHA-256 of its manifest. */
      readonly manifestHash: string;
    },
    token?: DeployLockToken,
  ): Promise<RegistryOutcome<Build>>;
  refuse(buildId: string, reason: string): Promise<void>;
  /**
   * Whether the build may go live: every live configuration, and the one that `target` is about to
   * deploy, against the document it answers as its `/openapi.json`.
   */
  check(
    ref: ApplicationRef,
    openapi: unknown,
    target: DeployTarget | null,
  ): Promise<RegistryOutcome<ApplicationSchema>>;
  /**
   * Makes the build the live one, its document the schema, and `target` a deployment: all of it in
   * one transaction, after the same check. The build that was live is `retired`. One that was
   * refused stays so.
   */
  activate(
    ref: ApplicationRef,
    buildId: string,
    openapi: unknown,
    target: DeployTarget | null,
    token?: DeployLockToken,
  ): Promise<RegistryOutcome<Activation>>;
  /** No build serves the application afterwards. */
  retire(ref: ApplicationRef, token?: DeployLockToken): Promise<RegistryOutcome<Build>>;
  /** The live build of one application, by its id, or of every one in every project: for starting them. */
  live(applicationId?: string): Promise<readonly LiveBuild[]>;
  /** Ids of the applications that have builds which are being started, or were when a platform ended. */
  unfinished(): Promise<readonly string[]>;
  /** Those of these applications that were being started become `refused`; gives their ids. */
  refuseUnfinished(applicationIds: readonly string[], reason: string): Promise<readonly string[]>;
  /** The same for one application, unless the lock was lost. */
  refuseUnfinishedOf(
    applicationId: string,
    reason: string,
    token: DeployLockToken,
  ): Promise<readonly string[]>;
}

/** The token of the deploy lock under which a change is made; null or absent without other replicas. */
export type DeployLockToken = number | null;

export interface Activation {
  readonly build: Build;
  readonly deployment: Deployment | null;
  /** As {@link LiveBuild.since}. */
  readonly since: string;
}

export interface LiveBuild {
  readonly project: string;
  readonly application: { readonly id: string; readonly slug: string };
  readonly build: Build;
  /** Another one each time that it is activated, even where it was live before. */
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
}

/** What the servers of a registry run. */
export interface ServerReports {
  /** Replaces all that a server has reported before. */
  write(serverId: string, reports: readonly ServerReport[]): Promise<void>;
  /** What servers have reported lately of an application, by environment and server. */
  list(ref: ApplicationRef): Promise<RegistryOutcome<readonly ServerStatus[]>>;
}
