import type { BuildPermission } from "@agate/protocol";
import type { ProcessGroups } from "./processes/process-groups.ts";

/** A program to run, and how. */
export interface BuildProgram {
  /** The build's folder: the working directory, with `entry` in it. */
  readonly folder: string;
  /** The program, relative to the folder. */
  readonly entry: string;
  /** Added to the platform's own environment, without Agate's variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null: all rights of the platform's user, for `agate dev` and for builds from before permissions. */
  readonly restrictions: BuildRestrictions | null;
}

/** What a build's process may do: read its own files, write in a private folder, use the network. */
export interface BuildRestrictions {
  /** What it may do besides. */
  readonly allow: readonly BuildPermission[];
  /** Folders beside the build's own that it may read: its installed packages. */
  readonly readable: readonly string[];
  /** The id of the user and group that it runs under; null: the platform's own. */
  readonly user: number | null;
}

/** Why a process could not be used. `log`: its last lines of output, oldest first. */
export interface StartFailure {
  readonly kind: "failed";
  /**
   * `ended`: it exited before it answered. `silent`: it did not answer `/health` in time.
   * `not-a-workflow`: it answered, but not as a workflow does.
   */
  readonly cause: "ended" | "silent" | "not-a-workflow";
  /** One sentence: "It ended with code 1 before it listened." */
  readonly reason: string;
  readonly log: readonly string[];
}

/** A build's program, running and answering `/health`. */
export interface BuildProcess {
  readonly kind: "running";
  readonly pid: number;
  readonly socketPath: string;
  /** Its parsed `/openapi.json`. */
  readonly openapi: unknown;
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ProcessEnd {
  /** "It ended with code 1.", "It was killed by SIGSEGV." */
  readonly reason: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly log: readonly string[];
  /** Why the system could not spawn it. */
  readonly error?: Error;
}

/**
 * Starts a program and waits until it answers.
 *
 * @throws when the platform has no file descriptor left: that is no fault of the program.
 */
export type StartBuildProcess = (
  program: BuildProgram,
  options: {
    /** Redacts a line of output, beside the values of `ag.secret`, which are always redacted. */
    readonly redactLine?: (line: string) => string;
    /** Called with every line of output, redacted. */
    readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
    /** Called once for each file of its folder that it reads, relative to the folder. For `agate dev`. */
    readonly onFileRead?: (file: string) => void;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal;
    /** Ends the process and all its children when this process ends, even by SIGKILL. */
    readonly groups: ProcessGroups;
  },
) => Promise<BuildProcess | StartFailure>;
