import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const LEAST_SPANS = 1_000;
/** Phoenix refuses spans while 20,000 wait to be stored. */
const MOST_SPANS = 15_000;

/** Of Python 3, for both packages. */
const LEAST_MINOR = 11;
const MOST_MINOR = 14;

/** Why the comparison cannot run like this; null when it can. */
export function peersProblem(
  given: string,
  venv: string | undefined,
  env: NodeJS.ProcessEnv,
): string | null {
  const spans = Number(given);
  if (!(spans >= LEAST_SPANS && spans <= MOST_SPANS)) {
    const [least, most] = [LEAST_SPANS, MOST_SPANS].map((each) => each.toLocaleString("en"));
    return `--peer-spans: Must be ${least} to ${most} (got ${given}).`;
  }
  return (venv === undefined ? null : venvProblem(venv)) ?? pythonProblem(env);
}

/** Why the comparison cannot run with the `python3` of this environment; null when it can. */
function pythonProblem(env: NodeJS.ProcessEnv): string | null {
  const needed = `Phoenix and MLflow need Python 3.${LEAST_MINOR} to 3.${MOST_MINOR} as python3`;
  let version: string;
  try {
    version = execFileSync("python3", ["--version"], {
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return `${needed}; python3 was not found or does not run.`;
  }
  const [, major, minor] = /^Python (\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  const isUsable =
    major === 3 && minor !== undefined && minor >= LEAST_MINOR && minor <= MOST_MINOR;
  return isUsable ? null : `${needed}; python3 is ${version.trim()}.`;
}

/** Why a folder cannot hold the virtual environment; null when it can. */
function venvProblem(folder: string): string | null {
  if (!existsSync(folder) || existsSync(join(folder, "pyvenv.cfg"))) return null;
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return `--venv: ${folder} is not a folder.`;
  }
  return names.length === 0
    ? null
    : `--venv: ${folder} is neither empty nor a virtual environment of Python.`;
}
