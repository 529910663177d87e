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
import type { DirectoryEntry, NamedApplication, Services } from "../services.ts";
import type { BuildRunner, RunnableBuild } from "./build-runner.ts";

/** The API key that a build calls the platform with. */
export interface BuildKey {
  readonly key: string;
  revoke(): void;
}

export interface HostOptions {
  readonly runner: BuildRunner;
  readonly services: Services;
  /** The platform's address for builds; known once it listens. */
  readonly baseUrl: Promise<string>;
  readonly issueKey: (application: NamedApplication) => BuildKey;
  /** Applies the project's redaction rules to a line of output. */
  readonly redactLine: (project: string, line: string) => string;
  /** The variables that a process of the application gets. */
  readonly variablesOf: (application: NamedApplication) => Promise<VariableValues>;
  /** The log of an application. */
  readonly logOf: (applicationId: string) => BuildLog;
  /** Writes an event to the platform's own log. */
  readonly onEvent: (application: NamedApplication, event: SupervisionEvent) => void;
  readonly limits?: Partial<SupervisorLimits>;
  /** For the processes of all hosts. */
  readonly room: ProcessRoom;
}

/** A build with a record in the registry. */
export interface StartableBuild extends RunnableBuild {
  readonly number: number;
}

/** A live build. */
export interface HostedBuild extends StartableBuild {
  /** Changes each time the build is activated. */
  readonly since: string;
}

/** The live build of one application, with its supervisor, its API key and its log. */
export class ApplicationHost {
  readonly #options: HostOptions;
  readonly #supervisor: Supervisor;
  readonly #key: BuildKey;
  readonly #log: BuildLog;
  #application: NamedApplication;
  #entry: DirectoryEntry<NamedApplication> | undefined;
  #live: { readonly build: HostedBuild; readonly slug: string } | undefined;
  /** The slug that each process was started with. */
  readonly #slugs = new WeakMap<BuildProcess, string>();

  constructor(application: NamedApplication, options: HostOptions) {
    this.#application = application;
    this.#options = options;
    this.#key = options.issueKey(application);
    this.#log = options.logOf(application.id);
    const { limits, room } = options;
    this.#supervisor = new Supervisor(application, (event) => this.#note(event), limits, room);
  }

  get application(): NamedApplication {
    return this.#application;
  }

  /** The live build; undefined while there is none. */
  get live(): HostedBuild | undefined {
    return this.#live?.build;
  }

  /** How many requests are running. */
  get requests(): number {
    return this.#supervisor.requests;
  }

  get isStarting(): boolean {
    return this.#supervisor.isStarting;
  }

  /** Whether the live build was started with an older slug of the application. */
  get isRenamed(): boolean {
    return this.#live !== undefined && this.#live.slug !== this.#application.slug;
  }

  /** Starts all processes of a build, beside those that are serving. */
  start(build: StartableBuild, signal: AbortSignal): Promise<StartedBuild | StartFailure> {
    const { number } = build;
    const start = (either: AbortSignal) => this.#startProcess(build, either);
    return this.#supervisor.start({ number, start }, signal);
  }

  async #startProcess(
    build: StartableBuild,
    signal: AbortSignal,
  ): Promise<BuildProcess | StartFailure> {
    const { runner, baseUrl, redactLine, variablesOf } = this.#options;
    const platform = await baseUrl;
    const { slug, project } = this.#application;
    const { values, unreadable } = await variablesOf(this.#application);
    if (unreadable.length > 0) return unreadableSecrets(unreadable);
    const started = await runner.start({
      build,
      environment: {
        AGATE_BASE_URL: platform,
        AGATE_API_KEY: this.#key.key,
        // Takes precedence over a name in the code: the registry has its configurations under this one.
        AGATE_APPLICATION: slug,
      },
      variables: values,
      redactLine: (line) => redactLine(project, line),
      onLine: (line, stream) => this.#log.add(build.number, stream, line),
      signal,
    });
    if (started.kind === "running") this.#slugs.set(started, slug);
    return started;
  }

  /** Sends requests to these processes from now on. */
  switchTo(build: HostedBuild, started: StartedBuild): Drain {
    this.#enter(build, this.#slugs.get(started.processes[0]));
    return this.#supervisor.switchTo(this.#supervised(build), started);
  }

  /** For the live build of a platform that has just started: {@link wake} or a request starts it. */
  startLater(build: HostedBuild): void {
    this.#enter(build);
    this.#supervisor.startLater(this.#supervised(build));
  }

  wake(): void {
    this.#supervisor.wake();
  }

  /** Serves the application under a new slug at once. The running process keeps the old one. */
  rename(slug: string): void {
    if (slug === this.#application.slug) return;
    this.#application = { ...this.#application, slug };
    this.#entry?.update(this.#application);
  }

  /** Ends the live build after its running requests. */
  async close(): Promise<void> {
    this.#entry?.remove();
    this.#live = undefined;
    await this.#supervisor.close();
    // Its last spans have been sent by now.
    this.#key.revoke();
  }

  #enter(build: HostedBuild, slug = this.#application.slug): void {
    this.#live = { build, slug };
    this.#entry ??= this.#options.services.addForAll(this.#application, this.#supervisor);
  }

  #supervised(build: HostedBuild): SupervisedBuild {
    return {
      number: build.number,
      start: async (signal) => {
        const started = await this.#startProcess(build, signal);
        // A restart after a crash picks up a new slug.
        if (started.kind === "running" && this.#live?.build === build) {
          this.#enter(build, this.#slugs.get(started));
        }
        return started;
      },
    };
  }

  #note(event: SupervisionEvent): void {
    this.#log.add(event.build, "platform", describeSupervision(event));
    this.#options.onEvent(this.#application, event);
  }
}

/** Code that expects a secret must not run without it. */
function unreadableSecrets(names: readonly string[]): StartFailure {
  const what = names.length === 1 ? "Its secret" : "Its secrets";
  const reason = `${what} ${names.join(", ")} cannot be read: give the server the key that encrypted them (AGATE_SECRET_KEY_FILE), or set them again.`;
  return { kind: "failed", cause: "ended", reason, log: [] };
}

/** The hosts of all applications with a running build. */
export class ApplicationHosts {
  readonly #options: HostOptions;
  readonly #hosts = new Map<string, ApplicationHost>();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Their ids. */
  get applications(): readonly string[] {
    return [...this.#hosts.keys()];
  }

  /** The live builds. */
  get builds(): readonly HostedBuild[] {
    return [...this.#hosts.values()].flatMap(({ live }) => live ?? []);
  }

  /** How many requests are running. */
  get requests(): number {
    return [...this.#hosts.values()].reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Whether the first start of a live build has neither succeeded nor failed yet. */
  get isStarting(): boolean {
    return [...this.#hosts.values()].some((host) => host.isStarting);
  }

  get(applicationId: string): ApplicationHost | undefined {
    return this.#hosts.get(applicationId);
  }

  /** The application's host, created if it has none. */
  ensure(application: NamedApplication): ApplicationHost {
    const known = this.get(application.id);
    if (known !== undefined) return known;
    const host = new ApplicationHost(application, this.#options);
    this.#hosts.set(application.id, host);
    return host;
  }

  /** Starts all live builds that wait to be started. */
  wake(): void {
    for (const host of this.#hosts.values()) host.wake();
  }

  /** Ends the application's live build and forgets its host. */
  async release(applicationId: string): Promise<void> {
    const host = this.get(applicationId);
    this.#hosts.delete(applicationId);
    await host?.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.applications.map((id) => this.release(id)));
  }
}
