import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Long past the end of any of them: some serve through all tests of a file, on a busy machine. */
const PATIENCE_MS = 300_000;

export interface ProgramOptions {
  /** Flags of Node before the program's name. */
  readonly nodeFlags?: readonly string[];
  readonly args?: readonly string[];
  /** All that the program has of an environment, beside a free port to listen on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Without one, the folder of the programs. */
  readonly folder?: string;
}

/** How a program ended. */
export interface EndedProgram {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it printed, line by line: JSON parsed, anything else as it was. */
  readonly printed: readonly unknown[];
  readonly stderr: string;
}

/** One of the programs in a process of its own, which serves its routes. */
export interface RunningProgram extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Everything it has printed on standard error so far. */
  stderr(): string;
  /** The next line that it prints. */
  nextLine(): Promise<unknown>;
  /** Asks it to end (SIGTERM), and waits until it has. */
  end(): Promise<EndedProgram>;
}

/**
 * Starts a program and waits until it prints the address that it serves at.
 *
 * @example
 * await using program = await startProgram("libraries.ts", { env: { AGATE_BASE_URL: server.url } });
 * await post(`${program.url}/run/openai`, { inputs });
 */
export async function startProgram(
  name: string,
  options: ProgramOptions = {},
): Promise<RunningProgram> {
  const started = spawnProgram(name, options);
  const line = await Promise.race([started.firstLine, started.ended]);
  if (typeof line !== "string") throw new Error(`${name} ended before it served: ${line.stderr}`);
  const url = /http:\S+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`${name} printed no address first, but: ${line}`);
  const end = () => {
    started.child.kill("SIGTERM");
    return started.ended;
  };
  return {
    url,
    pid: started.child.pid as number,
    stderr: started.stderr,
    nextLine: async () => {
      const [line] = await once(started.lines, "line");
      return parsed(String(line));
    },
    end,
    async [Symbol.asyncDispose]() {
      started.child.kill("SIGKILL");
      await started.ended;
    },
  };
}

/** Runs a program that serves nothing until it exits. */
export async function runProgram(
  name: string,
  options: ProgramOptions = {},
): Promise<EndedProgram> {
  return await spawnProgram(name, options).ended;
}

function spawnProgram(name: string, options: ProgramOptions) {
  const {
    nodeFlags = [],
    args = [],
    env = {},
    folder = `${import.meta.dirname}/programs`,
  } = options;
  const child = spawn(process.execPath, [...nodeFlags, name, ...args], {
    cwd: folder,
    // Nothing of the test runner's own: its variables change what the libraries do.
    env: { PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const firstLine = Promise.withResolvers<string>();
  const printed: unknown[] = [];
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    firstLine.resolve(line);
    printed.push(parsed(line));
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const ended = Promise.all([once(child, "close"), once(lines, "close")]).then(
    (): EndedProgram => ({ code: child.exitCode, signal: child.signalCode, printed, stderr }),
  );
  return { child, lines, firstLine: firstLine.promise, ended, stderr: () => stderr };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
