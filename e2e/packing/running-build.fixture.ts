import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json, text } from "node:stream/consumers";

/** Writes a build's files as the platform would unpack them. */
export async function unpack(
  files: ReadonlyMap<string, Uint8Array>,
  folder: string,
): Promise<void> {
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
}

/** A program that was started as the platform starts one. */
export interface RunningBuild extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly socket: string;
  /** Resolves when it has ended, with all that it printed. */
  readonly ended: Promise<{ code: number | null; signal: string | null; output: string }>;
  /** Calls a route's playground endpoint. */
  call(route: string, inputs: object): Promise<unknown>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

/** Starts a program with a socket and an IPC channel, and waits until it answers or ends. */
export async function startBuild(
  folder: string,
  program = "app.js",
  environment: Record<string, string> = {},
): Promise<RunningBuild> {
  const sockets = await mkdtemp(join(tmpdir(), "agate-socket-"));
  const listen = join(sockets, "app.sock");
  const socket = environment.AGATE_EVALUATOR_SOCKET ?? listen;
  const child = spawn(process.execPath, ["--enable-source-maps", program], {
    cwd: folder,
    env: { AGATE_LISTEN: `unix:${listen}`, PORT: "0", HOST: "127.0.0.1", ...environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const printed = Promise.all([text(child.stdout!), text(child.stderr!)]);
  const ended = once(child, "exit").then(async ([code, signal]) => ({
    code,
    signal,
    output: (await printed).join(""),
  }));
  const running: RunningBuild = {
    child,
    socket,
    ended,
    async call(route, inputs) {
      const { body } = await send(socket, `/playground/run${route}`, { inputs });
      return (body as { data: unknown }).data;
    },
    get: (path, headers) => send(socket, path, undefined, headers),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      await rm(sockets, { recursive: true });
    },
  };
  await answering(running);
  return running;
}

async function answering({ get, ended, child }: RunningBuild): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && child.exitCode === null) {
    const answer = await get("/health").catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function send(
  socketPath: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        socketPath,
        path,
        method: body === undefined ? "GET" : "POST",
        headers: { "content-type": "application/json", ...headers },
      },
      async (response) => resolve({ status: response.statusCode, body: await json(response) }),
    );
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
