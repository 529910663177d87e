import type { BuildPermission } from "@agate/protocol";
import type { ProcessGroups } from "./processes/process-groups.ts";

/** How a build's program is run. */
export interface BuildProgram {
  /** The build's folder: the working directory, with `entry` in it. */
  readonly folder: string;
  /** The program, relative to the folder. */
  readonly entry: string;
  /** Added to the platform's own environment, from which everything of Agate's is taken out. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null runs it with all rights of the platform's user: `agate dev`, and builds from before. */
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

/** Why a process could not be used. `log` holds the last lines that it printed, oldest first. */
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
  /** What it answers as its `/openapi.json`, parsed. */
  readonly openapi: unknown;
  /** Resolves when it has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Asks it to finish what it has and end; kills it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ProcessEnd {
  /** "It ended with code 1.", "It was killed by SIGSEGV." */
  readonly reason: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly log: readonly string[];
  /** What the system said where it could not even start it. */
  readonly error?: Error;
}

/**
 * Starts a program and waits until it answers.
 *
 * @throws where the platform has no file descriptor left, which says nothing about the program.
 */
export type StartBuildProcess = (
  program: BuildProgram,
  options: {
    /** What may be kept of a line that it prints; without it, all but the values of `ag.secret`. */
    readonly redactLine?: (line: string) => string;
    /** Every line that it prints, as it prints it, redacted. */
    readonly onLine: (line: string, stream: "stdout" | "stderr") => void;
    /** Every file of its folder that it reads, once, relative to the folder; not asked for by builds. */
    readonly onFileRead?: (file: string) => void;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal;
    /** The process and all that it starts end with this process, however it ends. */
    readonly groups: ProcessGroups;
  },
) => Promise<BuildProcess | StartFailure>;
