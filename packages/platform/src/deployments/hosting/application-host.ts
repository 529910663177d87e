import type { BuildProcess, StartFailure } from "../build-process.ts";
import type { InstallOutcome } from "../builds/modules-store.ts";
import type { BuildLog } from "../processes/build-log.ts";
import type { SupervisionEvent } from "../processes/supervision-event.ts";
import { describeSupervision } from "../processes/supervision-event.ts";
import type { SupervisedBuild, SupervisorLimits } from "../processes/supervisor.ts";
import { Supervisor } from "../processes/supervisor.ts";
import type { DirectoryEntry, NamedApplication, Services } from "../service-directory.ts";
import type { BuildRunner, RunnableBuild } from "./build-runner.ts";

/** A key that the platform makes for a build. */
export interface BuildKey {
  readonly key: string;
  revoke(): void;
}

export interface HostParts {
  readonly runner: BuildRunner;
  readonly services: Services;
  /** Where builds reach the platform; known once it listens. */
  readonly baseUrl: Promise<string>;
  readonly issueKey: (application: NamedApplication) => BuildKey;
  /** A line that a build of this project printed, without what its redaction rules hide. */
  readonly redactLine: (project: string, line: string) => string;
  /** The log of an application. */
  readonly logOf: (applicationId: string) => BuildLog;
  /** For the platform's own log. */
  readonly onEvent: (application: NamedApplication, event: SupervisionEvent) => void;
  readonly limits?: Partial<SupervisorLimits>;
}

/** A build whose record is there. */
export interface StartableBuild extends RunnableBuild {
  readonly number: number;
}

/** A build that serves. */
export interface HostedBuild extends StartableBuild {
  /** Another one each time that it is activated. */
  readonly since: string;
}

/** What runs for one application: its live build, and what belongs to it. */
export class ApplicationHost {
  readonly #parts: HostParts;
  readonly #supervisor: Supervisor;
  readonly #key: BuildKey;
  readonly #log: BuildLog;
  #application: NamedApplication;
  #entry: DirectoryEntry | undefined;
  #live: { readonly build: HostedBuild; readonly slug: string } | undefined;
  /** The name that each process was started under. */
  readonly #slugs = new WeakMap<BuildProcess, string>();

  constructor(application: NamedApplication, parts: HostParts) {
    this.#application = application;
    this.#parts = parts;
    this.#key = parts.issueKey(application);
    this.#log = parts.logOf(application.id);
    this.#supervisor = new Supervisor(application, (event) => this.#note(event), parts.limits);
  }

  get application(): NamedApplication {
    return this.#application;
  }

  /** The build that serves; undefined while none does. */
  get live(): HostedBuild | undefined {
    return this.#live?.build;
  }

  get isStarting(): boolean {
    return this.#supervisor.isStarting;
  }

  /** Whether the live build was started under another name than the application's now. */
  get isRenamed(): boolean {
    return this.#live !== undefined && this.#live.slug !== this.#application.slug;
  }

  /** Installs the packages of a build whose files are here. */
  install(build: StartableBuild): Promise<InstallOutcome> {
    return this.#parts.runner.install(build);
  }

  /** Starts a process of a build, beside the one that serves. */
  async start(build: StartableBuild, signal: AbortSignal): Promise<BuildProcess | StartFailure> {
    const { runner, baseUrl, redactLine } = this.#parts;
    const platform = await baseUrl;
    const { slug, project } = this.#application;
    const started = await runner.start({
      build,
      environment: {
        AGATE_BASE_URL: platform,
        AGATE_API_KEY: this.#key.key,
        // Before a name in the code: by this one its configurations are found.
        AGATE_APPLICATION: slug,
      },
      redactLine: (line) => redactLine(project, line),
      onLine: (line, stream) => this.#log.add(build.number, stream, line),
      signal,
    });
    if (started.kind === "running") this.#slugs.set(started, slug);
    return started;
  }

  /** From now on requests go to this process. Resolves when the one before has ended. */
  switchTo(build: HostedBuild, process: BuildProcess): Promise<number> {
    this.#enter(build, this.#slugs.get(process));
    return this.#supervisor.switchTo(this.#supervised(build), process);
  }

  /** The live build of a platform that has just come up: {@link wake} starts it, or a request does. */
  startLater(build: HostedBuild): void {
    this.#enter(build);
    this.#supervisor.startLater(this.#supervised(build));
  }

  wake(): void {
    this.#supervisor.wake();
  }

  /** It is found under the new slug at once; the process that runs does not know of it. */
  rename(slug: string): void {
    if (slug === this.#application.slug) return;
    this.#application = { ...this.#application, slug };
    this.#entry?.rename(slug);
  }

  /** Nothing serves the application any more; requests under way are finished. */
  async close(): Promise<void> {
    this.#entry?.remove();
    this.#live = undefined;
    await this.#supervisor.close();
    // Its last spans have been sent by now.
    this.#key.revoke();
  }

  #enter(build: HostedBuild, slug = this.#application.slug): void {
    this.#live = { build, slug };
    this.#entry ??= this.#parts.services.add(this.#application, this.#supervisor);
  }

  #supervised(build: HostedBuild): SupervisedBuild {
    return {
      number: build.number,
      start: async (signal) => {
        const started = await this.start(build, signal);
        // By its current name, where the one that crashed had an older one.
        if (started.kind === "running" && this.#live?.build === build) {
          this.#enter(build, this.#slugs.get(started));
        }
        return started;
      },
    };
  }

  #note(event: SupervisionEvent): void {
    this.#log.add(event.build, "platform", describeSupervision(event));
    this.#parts.onEvent(this.#application, event);
  }
}
