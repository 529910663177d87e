import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * The git commit that a folder is at, with `-dirty` where files of the repository differ from it; null
 * outside of a repository, before the first commit and without git.
 *
 * @example await gitCommit(".") // "9fceb02d0ae598e95dc970b74767f19372d61af8-dirty"
 */
export async function gitCommit(folder: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const [head, status] = await Promise.all([
    firstOutput(["rev-parse", "--verify", "HEAD"], folder, env),
    // No monitor of the repository's own is started, and no lock is taken, for a question.
    firstOutput(["-c", "core.fsmonitor=false", "status", "--porcelain"], folder, env),
  ]);
  const commit = head?.trim();
  // Where git cannot tell, nothing is claimed.
  if (commit === undefined || status === undefined || !/^[0-9a-f]{40,64}$/.test(commit))
    return null;
  return status === "" ? commit : `${commit}-dirty`;
}

/** The beginning of what git prints; undefined where it fails. A status may be as long as its repository. */
async function firstOutput(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const git = spawn("git", args, {
    cwd,
    env: { ...env, GIT_OPTIONAL_LOCKS: "0" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  git.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (output === "") output = text;
  });
  try {
    const [code] = await once(git, "close");
    return code === 0 ? output : undefined;
  } catch {
    // Not installed, or not to be run here: a deploy does not depend on git.
    return undefined;
  }
}
