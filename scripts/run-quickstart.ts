// What `npm start` runs once all is built: `agate dev` with the workflow of examples/quickstart, whose
// variants and environments are put into the registry, and its evaluation beside it, once. Takes the
// options of `agate dev`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { evaluateQuickstart } from "./evaluate-quickstart.ts";
import { registerQuickstart } from "./register-quickstart.ts";

const root = join(import.meta.dirname, "..");
const example = join(root, "examples/quickstart");
const APPLICATION = "quickstart";
const LOOPBACK = "127.0.0.1";
const PORT = 4100;
/** How often a program that is starting is asked whether it answers. */
const ASK_AGAIN_MS = 50;

process.exitCode = await run(process.argv.slice(2));

/** Runs it until it ends, and gives the exit code. */
async function run(flags: readonly string[]): Promise<number> {
  const program = [join(root, "packages/cli/dist/agate.js"), "dev", join(example, "app.ts")];
  const { host, port } = await addressIn(flags);
  const args = [...program, "--app", APPLICATION, ...flags];
  // The address is unusable: the platform exits with the reason.
  const child = start(port === null ? args : [...args, "--port", String(port)]);
  const ended = once(child, "exit").then(
    () => child.exitCode ?? 128 + constants.signals[child.signalCode ?? "SIGKILL"],
  );
  const url = urlOf(host, port ?? PORT);
  if (port !== null && (await isUp(`${url}/services/${APPLICATION}/health`, ended))) {
    await register(url);
    process.stderr.write(summary(url));
    await evaluate(url, ended);
  }
  return ended;
}

/** Without it there is nothing to call at first, so that its failure is worth a line, and no more. */
async function register(url: string): Promise<void> {
  const configFile = join(example, "agate.config.json");
  const workflowUrl = `${url}/services/${APPLICATION}`;
  await registerQuickstart({ platformUrl: url, workflowUrl, configFile }).catch((error: Error) => {
    process.stderr.write(`\nThe quickstart could not be registered: ${error.message}\n`);
  });
}

/** A page without a run is worth a line, and no more. */
async function evaluate(url: string, ended: Promise<unknown>): Promise<void> {
  const ending = new AbortController();
  void ended.then(() => ending.abort());
  await evaluateQuickstart({
    platformUrl: url,
    application: APPLICATION,
    folder: example,
    signal: ending.signal,
  }).catch((error: Error) => {
    process.stderr.write(`The quickstart could not be evaluated: ${error.message}\n`);
  });
}

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return child;
}

/** Where it will listen. The port is null if it cannot. */
async function addressIn(flags: readonly string[]) {
  const options = { host: { type: "string" }, port: { type: "string" } } as const;
  const { values } = parseArgs({ args: [...flags], options, strict: false });
  const host = typeof values.host === "string" ? values.host : LOOPBACK;
  const port = typeof values.port === "string" ? Number(values.port) : PORT;
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

/** Resolves with true once it answers, with false if the program ends before. */
async function isUp(url: string, ended: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return true;
    await pause(ASK_AGAIN_MS);
  }
  return false;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function summary(url: string): string {
  return `
  Playground   ${url}/playground
  Runs         ${url}/runs
  Dashboard    ${url}

  Or ask it something from here:

    curl -s ${url}/services/${APPLICATION}/run -H 'content-type: application/json' -d '{"environment": "production", "inputs": {"question": "How do agates get their bands?"}}'

  Its code is in examples/quickstart: save a file, and it is reloaded. Ctrl-C ends everything.

`;
}
