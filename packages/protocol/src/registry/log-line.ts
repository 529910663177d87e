/** The build number of lines that `agate dev`'s program prints: it is not a build of the registry. */
export const DEV_BUILD = 0;

/** A line of an application's log, as `GET …/logs` returns it. */
export interface LogLine {
  readonly time: string;
  /** The build's number; {@link DEV_BUILD} for a program that `agate dev` runs. */
  readonly build: number;
  /** The slug that the environment had; null where `agate dev` runs the program, and in older lines. */
  readonly environment: string | null;
  /** `platform`: an event of the process, such as a crash, written by the platform. */
  readonly stream: "stdout" | "stderr" | "platform";
  readonly line: string;
}
