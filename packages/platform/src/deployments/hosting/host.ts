import type { LogLine } from "@agate/protocol";
import type { ServerReport } from "../../registry/registry.ts";
import type { VariableValues } from "../../registry/variables-change.ts";
import type { BuildLog } from "../processes/build-log.ts";
import type { Drain } from "../processes/draining-processes.ts";
import type { ProcessRoom } from "../processes/process-room.ts";
import type { SupervisedBuild } from "../processes/process-slot.ts";
import type { BuildProcess, StartFailure } from "../processes/start-build-process.ts";
import type { StartedBuild } from "../processes/started-build.ts";
import type { SupervisionEvent } from "../processes/supervision-events.ts";
import { describeSupervision } from "../processes/supervision-events.ts";
import type { SupervisorLimits } from "../processes/supervisor.ts";
import { Supervisor } from "../processes/supervisor.ts";
import type { DirectoryEntry, HostedEnvironment, Services } from "../services.ts";
import type { BuildKey, KeyedBuild } from "./build-keys.ts";
import { BuildKeys } from "./build-keys.ts";
import type { BuildRunner, RunnableBuild } from "./build-runner.ts";

export interface HostOptions {
  readonly runner: BuildRunner;
  readonly services: Services;
  /** The platform's address for builds; known once it listens. */
  readonly baseUrl: Promise<string>;
  /** A key that identifies the environment and the build. */
  readonly issueKey: (environment: HostedEnvironment, build: KeyedBuild) => BuildKey;
  /** Applies the project's redaction rules to a line of output. */
  readonly redactLine: (project: string, line: string) => string;
  /** The variables that the environment has now. */
  readonly variablesOf: (environment: HostedEnvironment) => Promise<VariableValues>;
  /** Told the variables that a process is about to be started with. */
  readonly onVariables: (environment: HostedEnvironment, values: VariableValues) => void;
  /** The log of an application. */
  readonly logOf: (applicationId: string) => BuildLog;
  /** Writes an event to the platform's own log. */
  readonly onEvent: (environment: HostedEnvironment, event: SupervisionEvent) => void;
  /** An environment has no live build any more. */
  readonly onReleased: () => void;
  readonly limits?: Partial<SupervisorLimits>;
  /** For the processes of all hosts. */
  readonly room: ProcessRoom;
  /** How long an environment other than the default one goes without a call until it sleeps; null: it never does. */
  readonly sleepMs: number | null;
}

/** A build with a record in the registry. */
export interface StartableBuild extends RunnableBuild {
  readonly number: number;
}

/** A live build. */
export interface HostedBuild extends StartableBuild {
  /** Changes each time that its processes are to be started anew. */
  readonly since: string;
}

/** The names that a process is started with. */
type ProcessNames = Pick<HostedEnvironment, "application" | "slug">;

/** The live build of one environment, with its supervisor, its API keys and its log. */
export class EnvironmentHost {
  readonly #options: HostOptions;
  readonly #supervisor: Supervisor;
  readonly #keys: BuildKeys;
  readonly #log: BuildLog;
  #environment: HostedEnvironment;
  #entry: DirectoryEntry<HostedEnvironment> | undefined;
  #live: { readonly build: HostedBuild; readonly names: ProcessNames } | undefined;
  /** The names that each process was started with. */
  readonly #names = new WeakMap<BuildProcess, ProcessNames>();
  /** By the first process of a build that does not serve yet: releases its key. */
  readonly #starting = new WeakMap<BuildProcess, () => void>();

  constructor(environment: HostedEnvironment, options: HostOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#keys = new BuildKeys((build) => options.issueKey(this.#environment, build));
    this.#log = options.logOf(environment.application.id);
    const { room } = options;
    // Asked anew each time: another environment may become the default.
    const sleepMs = () => (this.#environment.isDefault ? null : options.sleepMs);
    const limits = { sleepMs, ...options.limits };
    const { application } = environment;
    this.#supervisor = new Supervisor(application, (event) => this.#note(event), limits, room);
  }

  get environment(): HostedEnvironment {
    return this.#environment;
  }

  /** The live build; undefined while there is none. */
  get live(): HostedBuild | undefined {
    return this.#live?.build;
  }

  /** How many requests are running. */
  get requests(): number {
    return this.#supervisor.requests;
  }

  /** What runs; undefined without a live build. */
  get report(): ServerReport | undefined {
    if (this.#live === undefined) return undefined;
    const { build } = this.#live;
    return { environmentId: this.#environment.id, buildId: build.id, ...this.#supervisor.status };
  }

  get isStarting(): boolean {
    return this.#supervisor.isStarting;
  }

  /** Whether the live build was started with an older slug of the application or the environment. */
  get isRenamed(): boolean {
    return this.#live !== undefined && !isSameName(this.#live.names, this.#environment);
  }

  /**
   * Starts all processes of a build, beside those that are serving.
   *
   * @param variables Without them, they get those that the environment has.
   */
  async start(
    build: StartableBuild,
    signal: AbortSignal,
    variables?: VariableValues,
  ): Promise<StartedBuild | StartFailure> {
    const { number } = build;
    // Earlier processes of the same build may end meanwhile: the key has to outlive them.
    const held = this.#keys.hold(build.id);
    const release = () => held.release(this.#live?.build.id);
    const start = (either: AbortSignal) => this.#startProcess(build, either, variables);
    let started: StartedBuild | StartFailure | undefined;
    try {
      started = await this.#supervisor.start({ number, start }, signal);
    } finally {
      if (started?.kind !== "running") release();
    }
    if (started.kind === "failed") return started;
    const { stop } = started;
    this.#starting.set(started.processes[0], release);
    return { ...started, stop: (graceMs) => stop(graceMs).finally(release) };
  }

  async #startProcess(
    build: StartableBuild,
    signal: AbortSignal,
    given?: VariableValues,
  ): Promise<BuildProcess | StartFailure> {
    const { runner, baseUrl, redactLine, variablesOf, onVariables } = this.#options;
    const platform = await baseUrl;
    const { id: environmentId, application, slug, project } = this.#environment;
    const variables = given ?? (await variablesOf(this.#environment));
    const { values, unreadable } = variables;
    if (unreadable.length > 0) return unreadableSecrets(unreadable);
    onVariables(this.#environment, variables);
    const started = await runner.start({
      build,
      environmentId,
      environment: {
        AGATE_BASE_URL: platform,
        AGATE_API_KEY: this.#keys.of(build),
        // Take precedence over names in the code: the registry has its configurations under these.
        AGATE_APPLICATION: application.slug,
        AGATE_ENVIRONMENT: slug,
      },
      variables: values,
      redactLine: (line) => redactLine(project, line),
      onLine: (line, stream) => this.#addLine(build.number, stream, line),
      signal,
    });
    if (started.kind === "running") this.#names.set(started, { application, slug });
    return started;
  }

  /** Sends requests to these processes from now on. */
  switchTo(build: HostedBuild, started: StartedBuild): Drain {
    const held = this.#keys.hold(this.#live?.build.id);
    this.#enter(build, this.#names.get(started.processes[0]));
    this.#starting.get(started.processes[0])?.();
    const drain = this.#supervisor.switchTo(this.#supervised(build), started);
    // Its last spans have been sent by then.
    void drain.ended.finally(() => held.release(this.#live?.build.id));
    return drain;
  }

  /** For the live build of a platform that has just started: {@link wake} or a request starts it. */
  startLater(build: HostedBuild): void {
    this.#enter(build);
    this.#supervisor.startLater(this.#supervised(build));
  }

  wake(): void {
    this.#supervisor.wake();
  }

  /** Takes new names and settings at once. Running processes keep the names that they have. */
  update(environment: HostedEnvironment): void {
    this.#environment = environment;
    this.#entry?.update(environment);
  }

  /** Ends the live build after its running requests. */
  async close(): Promise<void> {
    this.#entry?.remove();
    this.#live = undefined;
    await this.#supervisor.close();
    // Its last spans have been sent by now.
    this.#keys.revokeAll();
  }

  #enter(build: HostedBuild, names: ProcessNames = this.#environment): void {
    this.#live = { build, names };
    this.#entry ??= this.#options.services.add(this.#environment, this.#supervisor);
  }

  #supervised(build: HostedBuild): SupervisedBuild {
    return {
      number: build.number,
      start: async (signal) => {
        const started = await this.#startProcess(build, signal);
        // A restart after a crash picks up a new slug.
        if (started.kind === "running" && this.#live?.build === build) {
          this.#enter(build, this.#names.get(started));
        }
        return started;
      },
    };
  }

  #note(event: SupervisionEvent): void {
    this.#addLine(event.build, "platform", describeSupervision(event));
    this.#options.onEvent(this.#environment, event);
  }

  #addLine(build: number, stream: LogLine["stream"], line: string): void {
    this.#log.add({ build, environment: this.#environment.slug, stream, line });
  }
}

/** Code that expects a secret must not run without it. */
export function unreadableSecrets(names: readonly string[]): StartFailure {
  const what = names.length === 1 ? "Its secret" : "Its secrets";
  const reason = `${what} ${names.join(", ")} cannot be read: give the server the key that encrypted them (AGATE_SECRET_KEY_FILE), or set them again.`;
  return { kind: "failed", cause: "ended", reason, log: [] };
}

function isSameName(one: ProcessNames, other: ProcessNames): boolean {
  return one.slug === other.slug && one.application.slug === other.application.slug;
}

/** The hosts of all environments with a running build. */
export class EnvironmentHosts {
  readonly #options: HostOptions;
  readonly #hosts = new Map<string, EnvironmentHost>();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** All environments that have one. */
  get environments(): readonly HostedEnvironment[] {
    return [...this.#hosts.values()].map(({ environment }) => environment);
  }

  /** The live builds. */
  get builds(): readonly HostedBuild[] {
    return [...this.#hosts.values()].flatMap(({ live }) => live ?? []);
  }

  /** What runs in each environment. */
  get reports(): readonly ServerReport[] {
    return [...this.#hosts.values()].flatMap(({ report }) => report ?? []);
  }

  /** How many requests are running. */
  get requests(): number {
    return [...this.#hosts.values()].reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Whether the first start of a live build has neither succeeded nor failed yet. */
  get isStarting(): boolean {
    return [...this.#hosts.values()].some((host) => host.isStarting);
  }

  get(environmentId: string): EnvironmentHost | undefined {
    return this.#hosts.get(environmentId);
  }

  /** The environment's host, created if it has none. */
  ensure(environment: HostedEnvironment): EnvironmentHost {
    const known = this.get(environment.id);
    if (known !== undefined) return known;
    const host = new EnvironmentHost(environment, this.#options);
    this.#hosts.set(environment.id, host);
    return host;
  }

  /** Starts all live builds that wait to be started. */
  wake(): void {
    for (const host of this.#hosts.values()) host.wake();
  }

  /** Ends the environment's live build and forgets its host. */
  async release(environmentId: string): Promise<void> {
    const host = this.get(environmentId);
    this.#hosts.delete(environmentId);
    this.#options.onReleased();
    await host?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.keys()].map((id) => this.release(id)));
  }
}
