import { type ChildProcess, spawn } from "node:child_process";

/**
 * Reads the groups that there are, a line each time they change, until the platform is gone, however
 * it ended. Then it kills those of the last line and removes their folders. A program in a busy loop
 * does not hear that its platform is gone, and its end would not end its children.
 */
const REAPER = `
trap '' HUP INT TERM
set -f
IFS='\t'
while read -r line; do groups=$line; done
[ -z "$groups" ] && exit
# Programs that hear of it have a moment to finish their work.
sleep 3
for each in $groups; do
  kill -9 "-\${each%%:*}" 2>/dev/null
  [ -n "\${each#*:}" ] && rm -rf "\${each#*:}"
done
`;

/** Processes with all that they start: each is a group, which never outlives this process. */
export class ProcessGroups {
  /** The id of a group's first process → the folder that goes with the group, or "". */
  readonly #groups = new Map<number, string>();
  readonly #onError: (error: unknown) => void;
  #reaper: ChildProcess | undefined;

  /**
   * @param onError Told where the shell cannot be started, or there is none: until one runs, groups
   * end by what their own programs do.
   */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * @param leader A process that was started as the first of a group (`detached`).
   * @param folder Removed with the group.
   */
  add(leader: ChildProcess, folder = ""): void {
    const { pid } = leader;
    if (pid === undefined || process.platform === "win32") return;
    this.#groups.set(pid, folder);
    this.#tell();
    leader.once("exit", () => {
      this.#groups.delete(pid);
      killGroup(leader);
      this.#tell();
    });
  }

  #tell(): void {
    this.#reaper ??= this.#startReaper();
    const line = [...this.#groups].map(([pid, folder]) => `${pid}:${folder}`).join("\t");
    this.#reaper.stdin?.write(`${line}\n`);
  }

  #startReaper(): ChildProcess {
    // In a group of its own: Ctrl-C in a terminal reaches the platform's whole group.
    const reaper = spawn("/bin/sh", ["-c", REAPER], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: process.env.PATH },
      cwd: "/",
    });
    reaper.on("error", (error) => {
      this.#onError(error);
      // One that could not be started has no exit. The next group tries again.
      if (reaper.pid === undefined) this.#reaper = undefined;
    });
    // A pipe whose reader is gone. The exit tells of it.
    reaper.stdin?.on("error", () => {});
    reaper.once("exit", () => {
      this.#reaper = undefined;
      if (this.#groups.size > 0) this.#tell();
    });
    reaper.unref();
    (reaper.stdin as { unref?(): void } | null)?.unref?.();
    return reaper;
  }
}

/** Kills what is left of a group. */
export function killGroup(leader: ChildProcess): void {
  if (leader.pid === undefined) return;
  if (process.platform === "win32") {
    leader.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-leader.pid, "SIGKILL");
  } catch (error) {
    // None of it is left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
