// What `npm start` runs once all is built: the platform, and beside it the workflow of
// examples/quickstart, which has its configuration from there and sends its traces there. Takes the
// options of `agate server`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { registerQuickstart } from "./register-quickstart.ts";

const root = join(import.meta.dirname, "..");
const example = join(root, "examples/quickstart");
const LOOPBACK = "127.0.0.1";
const PLATFORM_PORT = 4100;
const WORKFLOW_PORT = 4101;
/** How often a program that is starting is asked whether it answers. */
const ASK_AGAIN_MS = 50;

interface Program {
  readonly child: ChildProcess;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number>;
}

const programs: Program[] = [];
let isAskedToEnd = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    isAskedToEnd = true;
    void endAll(signal);
  });
}
process.exitCode = await runBoth(process.argv.slice(2));

/** Runs both until one of them ends, and gives the exit code. */
async function runBoth(flags: readonly string[]): Promise<number> {
  const { host, port } = await platformAddress(flags);
  const server = [join(root, "packages/cli/dist/agate.js"), "server", ...flags];
  // Nobody could ask it: it ends at once, and says what is wrong with the address.
  if (port === null) return start(server).ended;
  const platform = start([...server, "--port", String(port)]);
  const platformUrl = urlOf(host, port);
  if (!(await isUp(platform, platformUrl))) return platform.ended;

  const usualPort = await freePort(WORKFLOW_PORT, LOOPBACK);
  const workflowPort = usualPort ?? (await freePort(0, LOOPBACK)) ?? WORKFLOW_PORT;
  const workflowUrl = urlOf(LOOPBACK, workflowPort);
  const workflow = start([join(example, "app.ts")], {
    HOST: LOOPBACK,
    PORT: String(workflowPort),
    AGATE_BASE_URL: platformUrl,
  });
  if (await isUp(workflow, workflowUrl)) {
    await register(platformUrl, workflowUrl);
    if (usualPort === null) process.stderr.write(`\nPort ${WORKFLOW_PORT} is taken.\n`);
    process.stderr.write(summary(platformUrl, workflowUrl));
  }

  const first = await Promise.race([
    platform.ended.then((code) => ({ name: "platform", code })),
    workflow.ended.then((code) => ({ name: "workflow", code })),
  ]);
  if (isAskedToEnd) return platform.ended;
  process.stderr.write(`The ${first.name} has ended with code ${first.code}: ending the rest.\n`);
  await endAll("SIGTERM");
  return first.code || 1;
}

/** Without it there is nothing to call at first, so that its failure is worth a line, and no more. */
async function register(platformUrl: string, workflowUrl: string): Promise<void> {
  const configFile = join(example, "agate.config.json");
  await registerQuickstart({ platformUrl, workflowUrl, configFile }).catch((error: Error) => {
    process.stderr.write(`\nThe quickstart could not be registered: ${error.message}\n`);
  });
}

/** The workflow first: it has spans to hand over. */
async function endAll(signal: NodeJS.Signals): Promise<void> {
  for (const { child, ended } of programs.toReversed()) {
    child.kill(signal);
    await ended;
  }
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  const ended = once(child, "exit").then(
    () => child.exitCode ?? 128 + constants.signals[child.signalCode ?? "SIGKILL"],
  );
  const program = { child, ended };
  programs.push(program);
  return program;
}

/** Where `agate server` will listen. The port is null if it cannot. */
async function platformAddress(flags: readonly string[]) {
  const options = { host: { type: "string" }, port: { type: "string" } } as const;
  const { values } = parseArgs({ args: [...flags], options, strict: false });
  const host = typeof values.host === "string" ? values.host : LOOPBACK;
  const port = typeof values.port === "string" ? Number(values.port) : PLATFORM_PORT;
  return { host, port: await freePort(port, host) };
}

/** The port itself, or any that is free for 0; null if it cannot be had. */
async function freePort(port: number, host: string): Promise<number | null> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return null;
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch {
    return null;
  } finally {
    server.close();
  }
}

/** Resolves with true once it answers, with false if it ends before. */
async function isUp({ ended }: Program, url: string): Promise<boolean> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const answer = await fetch(`${url}/health`).catch(() => null);
    if (answer?.ok) return true;
    await pause(ASK_AGAIN_MS);
  }
  return false;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function summary(platform: string, workflow: string): string {
  return `
  Platform   ${platform}/docs
  Workflow   ${workflow}  from examples/quickstart

  Ask it something:

    curl -s ${workflow}/run -H 'content-type: application/json' -d '{"inputs": {"question": "How do agates get their bands?"}}'

  Change how it answers: see docs/guide/configurations.md.

  Read back what happened, the newest first, or one trace by the trace_id of the answer:

    curl -s ${platform}/observability/traces/
    curl -s ${platform}/observability/traces/TRACE_ID/

  Ctrl-C ends both.

`;
}
