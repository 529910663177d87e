import { builtinModule, isRequestBound } from "../runtime/workers-runtime.ts";
import { type Clock, systemClock, warnOnce } from "./clock.ts";
import {
  type ConfigReference,
  type ConfigResolution,
  type ConfigSource,
  UNNAMED_APPLICATION,
} from "./config-source.ts";
import { detached } from "./detached.ts";
import { type ConfigFile, parseConfigFile } from "./parse-config-file.ts";

/** A read checks the file for changes at most once in this many milliseconds. */
const LOOK_AGAIN = 1_000;
/** Files have no history. */
const REVISION = 1;

export interface FileConfigSourceOptions {
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Of what a symbolic link leads to. Some file systems have no inode numbers. */
interface FileStatus {
  readonly dev: number;
  readonly ino: number | null;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** The part of `node:fs/promises` that is used here. */
interface FileSystem {
  stat(path: string): Promise<FileStatus>;
  readFile(path: string, encoding: "utf8"): Promise<string>;
}

/** How the last look at the file went. */
type Look =
  | { readonly kind: "good" }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Resolves configurations from a file, which it reads again when it has changed. */
export class ConfigFileReader implements ConfigSource {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  readonly #files = builtinModule<FileSystem>("node:fs/promises");
  /** What `versionOf` said of the file when it was last read. */
  #version = "";
  /** What the file last said that made sense. */
  #file: ConfigFile | null = null;
  #look: Look = { kind: "missing" };
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(path: string, { clock = systemClock, onWarning }: FileConfigSourceOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#warn = warnOnce(onWarning, clock);
  }

  resolve(reference: ConfigReference): ConfigResolution | Promise<ConfigResolution> {
    if (this.#files === undefined) return this.#noFileSystem();
    const isDue = this.#clock.now() - this.#lookedAt >= LOOK_AGAIN;
    const resolution = this.#resolution(reference);
    if (resolution.kind === "resolved") {
      if (isDue) void this.#lookAgain(this.#files);
      return resolution;
    }
    if (!isDue && this.#looking === null) return resolution;
    return this.#lookAgain(this.#files).then(() => this.#resolution(reference));
  }

  async close(): Promise<void> {
    await this.#looking;
  }

  #lookAgain(files: FileSystem): Promise<void> {
    const look = async () => {
      this.#lookedAt = this.#clock.now();
      this.#look = await this.#read(files);
      this.#looking = null;
      if (this.#look.kind === "unreadable") this.#warn(this.#look.reason);
      if (this.#look.kind === "missing" && this.#file !== null) {
        this.#warn(`${this.#path} is gone. What it said last is still in use.`);
      }
    };
    // No request waits for the promise of another: it may never settle.
    if (isRequestBound()) return detached(look);
    this.#looking ??= detached(look);
    return this.#looking;
  }

  async #read(files: FileSystem): Promise<Look> {
    try {
      // Before it is read: what is written meanwhile is seen next time.
      const version = versionOf(await files.stat(this.#path));
      if (version === this.#version) return this.#look;
      const text = await files.readFile(this.#path, "utf8");
      const parsed = parseConfigFile(text);
      this.#version = version;
      if (parsed.kind === "broken") return this.#unreadable(parsed.problem);
      this.#file = parsed.file;
      return { kind: "good" };
    } catch (error) {
      this.#version = "";
      const { code } = error as { readonly code?: unknown };
      if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
      return this.#unreadable(`It could not be read (${typeof code === "string" ? code : error}).`);
    }
  }

  #unreadable(problem: string): Look {
    const instead = this.#file === null ? "" : " What it said before is still in use.";
    return { kind: "unreadable", reason: `${this.#path} cannot be used. ${problem}${instead}` };
  }

  #resolution(reference: ConfigReference): ConfigResolution {
    if (this.#file !== null) return this.#found(this.#file, reference);
    if (this.#look.kind === "unreadable") {
      return { kind: "unavailable", reason: this.#look.reason };
    }
    return {
      kind: "not-found",
      reason: `There is no file ${this.#path}. Write it with ${snippet(reference)}, or set AGATE_BASE_URL to the URL of a platform.`,
    };
  }

  #found(file: ConfigFile, reference: ConfigReference): ConfigResolution {
    const { application } = reference;
    // An app without a name takes the file whichever application it is for.
    const isNamed = application !== UNNAMED_APPLICATION;
    if (isNamed && file.application !== null && file.application !== application) {
      return this.#notFound(
        `is for the application ${quoted(file.application)}, and this is ${quoted(application)}: change "application" in the file, or leave it out.`,
      );
    }
    const variant =
      reference.by === "variant" ? reference.variant : file.environments.get(reference.environment);
    if (variant === undefined) {
      return this.#notFound(
        `has no environment ${quoted(environmentOf(reference))}. ${listed("Its environments are", file.environments)} Add it, as in ${snippet(reference)}.`,
      );
    }
    const params = file.variants.get(variant);
    if (params === undefined) {
      return this.#notFound(
        `has no variant ${quoted(variant)}. ${listed("Its variants are", file.variants)} Add it, as in ${snippet(reference)}.`,
      );
    }
    if (reference.by === "variant" && (reference.revision ?? REVISION) !== REVISION) {
      return this.#notFound(
        `has only revision ${REVISION} of each variant, not ${reference.revision}: leave the revision out.`,
      );
    }
    return {
      kind: "resolved",
      resolved: {
        application: { id: application, slug: application },
        variant: { id: variant, slug: variant, revision: REVISION },
        environment: reference.by === "environment" ? reference.environment : null,
        params,
      },
      stale: this.#look.kind !== "good",
    };
  }

  #notFound(what: string): ConfigResolution {
    return { kind: "not-found", reason: `${this.#path} ${what}` };
  }

  #noFileSystem(): ConfigResolution {
    return {
      kind: "unavailable",
      reason: `This runtime has no file system to read ${this.#path} from. Set AGATE_BASE_URL to the URL of a platform.`,
    };
  }
}

/**
 * Kubernetes replaces a mounted ConfigMap by pointing a symbolic link elsewhere, and tools that copy files
 * keep their times: size and modification time alone may stay the same. A program can't set the change time.
 */
function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: FileStatus): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

function environmentOf(reference: ConfigReference): string {
  return reference.by === "environment" ? reference.environment : "production";
}

/** What makes the file answer this reference. */
function snippet(reference: ConfigReference): string {
  const variant = reference.by === "variant" ? reference.variant : "default";
  return JSON.stringify({
    variants: { [variant]: { [reference.route ?? "/"]: {} } },
    environments: { [environmentOf(reference)]: variant },
  });
}

function listed(what: string, names: ReadonlyMap<string, unknown>): string {
  if (names.size === 0) return "";
  return `${what} ${[...names.keys()].map(quoted).join(", ")}.`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
