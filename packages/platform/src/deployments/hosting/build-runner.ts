import type { BuildPermission } from "@agate/protocol";
import type { BuildProcess, StartBuildProcess, StartFailure } from "../build-process.ts";
import type { BuildStore } from "../builds/build-store.ts";
import type { InstallOutcome } from "../builds/modules-store.ts";
import { Slots } from "../builds/slots.ts";
import type { BuildUsers } from "../processes/build-users.ts";
import type { ProcessGroups } from "../processes/process-groups.ts";

export interface BuildRunnerOptions {
  readonly store: BuildStore;
  readonly start: StartBuildProcess;
  readonly groups: ProcessGroups;
  /** The users that restricted builds run under, asked when one starts; null: the platform's own. */
  readonly users: () => Promise<BuildUsers | null>;
  /** How long a build may take to answer. */
  readonly startMs: number;
  /** How many builds may be starting at the same time. */
  readonly mostStarts: number;
}

/** A build to run, and for whom. */
export interface BuildRun {
  readonly build: RunnableBuild;
  readonly environment: Readonly<Record<string, string>>;
  /** What may be kept of a line that it prints. */
  readonly redactLine: (line: string) => string;
  readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
  readonly signal: AbortSignal;
}

/** A build whose record is there, and what its program may do. */
export interface RunnableBuild {
  readonly id: string;
  readonly applicationId: string;
  /** As in its record: null runs it without restrictions. */
  readonly allow: readonly BuildPermission[] | null;
  /** As in its record: null where it was not recorded. */
  readonly manifest_sha256: string | null;
}

/** A build that can be started at once. */
export interface PreparedBuild {
  readonly kind: "prepared";
  readonly folder: string;
  /** Its program, relative to the folder. */
  readonly entry: string;
  /** Where its packages are installed; null where it has none. */
  readonly modules: string | null;
}

/** Starts processes of stored builds, whose packages are installed where they are not any more. */
export class BuildRunner {
  readonly #options: BuildRunnerOptions;
  // Twenty applications that start at once on two processors would all be late.
  readonly #starts: Slots;
  /** Others: packages that cannot be fetched must not keep a build from being started that has its own. */
  readonly #fetches: Slots;

  constructor(options: BuildRunnerOptions) {
    this.#options = options;
    this.#starts = new Slots(options.mostStarts);
    this.#fetches = new Slots(options.mostStarts);
  }

  async start(run: BuildRun): Promise<BuildProcess | StartFailure> {
    const { build, environment, ...options } = run;
    const { start, groups, startMs: timeoutMs } = this.#options;
    // Packages are installed to the end: the next who asks for the same finds them.
    const prepared = await unlessAborted(this.prepare(build), options.signal);
    if (prepared.kind === "failed") return prepared;
    const { folder, entry, modules } = prepared;
    const { allow } = build;
    const user = await this.#userOf(build);
    const restrictions = allow && { allow, readable: modules === null ? [] : [modules], user };
    const program = { folder, entry, environment, restrictions };
    const started = await this.#starts.run(() => start(program, { ...options, timeoutMs, groups }));
    if (started.kind === "failed") await this.#options.store.distrustModules(build.id);
    return started;
  }

  /** Has the files and packages of a build here, for a start that takes no longer than it must. */
  async prepare(build: RunnableBuild): Promise<PreparedBuild | StartFailure> {
    const isHere = await this.#options.store.isHere(build.id);
    return isHere ? this.#prepare(build) : this.#fetches.run(() => this.#prepare(build));
  }

  /** Installs the packages of a build whose files are here. */
  async install(build: RunnableBuild): Promise<InstallOutcome> {
    const { allow } = build;
    // A script is a child process, most often one that makes native code: without either of the two
    // permissions it would be a way around both.
    const runsScripts =
      allow === null || allow.includes("addons") || allow.includes("child-process");
    const user = runsScripts ? await this.#userOf(build) : null;
    return this.#options.store.install(build.id, { runsScripts, user });
  }

  /** The user that a build and its install scripts run under; null: the platform's own. */
  async #userOf({ allow, applicationId }: RunnableBuild): Promise<number | null> {
    if (allow === null) return null;
    return (await this.#options.users())?.of(applicationId) ?? null;
  }

  async #prepare(build: RunnableBuild): Promise<PreparedBuild | StartFailure> {
    const { store } = this.#options;
    const { id } = build;
    const damaged = await store.repair(id, build.manifest_sha256);
    if (damaged !== undefined) return failed(damagedReason(damaged));
    const manifest = await store.manifestOf(id);
    if (manifest === undefined) {
      return failed("Its files are not in the data directory any more: deploy it again.");
    }
    if (manifest.install !== null) {
      const install = await this.install(build);
      if (install.kind === "failed") {
        return failed(`Its packages could not be installed: ${install.reason}`, install.log);
      }
    }
    const modules = (await store.modulesOf(id)) ?? null;
    return { kind: "prepared", folder: store.folderOf(id), entry: manifest.entry, modules };
  }
}

/** @throws the signal's reason when it fires before the work is done, which goes on by itself. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** One sentence about a file that is not as it was deployed, and what to do. */
export function damagedReason(file: string): string {
  return `Its file ${file} is damaged: it is not as it was deployed, and no other copy is kept. Deploy the build again, or restore the data directory from a backup.`;
}

function failed(reason: string, log: readonly string[] = []): StartFailure {
  return { kind: "failed", cause: "ended", reason, log };
}
