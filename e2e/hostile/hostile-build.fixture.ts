/**
 * A workflow that tries to get out: each attack of `attempts` runs on its own, and what it got, or the
 * code of the error that stopped it, is the answer.
 */
export const HOSTILE_WORKFLOW = `import * as ag from "@agate/sdk";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);

class NoConfig extends ag.BaseModel {}

interface Targets {
  /** The data directory of the server. */
  data: string;
  /** The folder of another build. */
  other: string;
  /** A file that must not be created. */
  outside: string;
}

const firstBytes = (content: Buffer | string) => "read " + content.slice(0, 15).toString();

const ATTACKS: Record<string, (targets: Targets) => unknown> = {
  "read spans.db": ({ data }) => firstBytes(fs.readFileSync(join(data, "spans.db"))),
  "read registry.db": ({ data }) => firstBytes(fs.readFileSync(join(data, "registry.db"))),
  "read spans.db as a promise": async ({ data }) =>
    firstBytes(await fs.promises.readFile(join(data, "spans.db"))),
  "stream spans.db": async ({ data }) => {
    for await (const chunk of fs.createReadStream(join(data, "spans.db"))) return firstBytes(chunk);
  },
  "open spans.db as a blob": async ({ data }) =>
    firstBytes(await (await fs.openAsBlob(join(data, "spans.db"))).text()),
  "open spans.db with node:sqlite": async ({ data }) => {
    const { DatabaseSync } = await import("node:sqlite");
    return JSON.stringify(new DatabaseSync(join(data, "spans.db")).prepare("PRAGMA user_version").get());
  },
  "copy spans.db": ({ data }) => {
    fs.cpSync(join(data, "spans.db"), join(os.tmpdir(), "copy"));
    return firstBytes(fs.readFileSync(join(os.tmpdir(), "copy")));
  },
  "link to spans.db": ({ data }) => {
    fs.symlinkSync(join(data, "spans.db"), join(os.tmpdir(), "link"));
    return firstBytes(fs.readFileSync(join(os.tmpdir(), "link")));
  },
  "hard-link spans.db": ({ data }) => {
    fs.linkSync(join(data, "spans.db"), join(os.tmpdir(), "hard"));
    return firstBytes(fs.readFileSync(join(os.tmpdir(), "hard")));
  },
  "list the data directory": ({ data }) => fs.readdirSync(data).join(),
  "list the folder of all sockets": () => fs.readdirSync(join(os.tmpdir(), "../..")).join(),
  "read the server's environment": () => firstBytes(fs.readFileSync("/proc/" + process.ppid + "/environ")),
  "read the server's memory map": () => firstBytes(fs.readFileSync("/proc/" + process.ppid + "/maps")),
  "load an environment file": ({ other }) => process.loadEnvFile(join(other, "package.json")),
  "read another build's program": ({ other }) => firstBytes(fs.readFileSync(join(other, "app.js"))),
  "import another build's program": ({ other }) => import(join(other, "app.js")),
  "require another build's manifest": ({ other }) => require(join(other, "agate-build.json")),
  "write outside": ({ outside }) => fs.writeFileSync(outside, "here"),
  "write into its own folder": () => fs.writeFileSync("app.js", "changed"),
  "keep a compile cache outside": async ({ outside }) => {
    const { enableCompileCache } = await import("node:module");
    return "status " + enableCompileCache(outside).status;
  },
  "write a heap snapshot outside": async ({ outside }) => (await import("node:v8")).writeHeapSnapshot(outside),
  "start a child process": async () => (await import("node:child_process")).execFileSync("id"),
  "fork itself": async () => (await import("node:child_process")).fork(import.meta.filename).pid,
  "start a worker": async () => new (await import("node:worker_threads")).Worker("1", { eval: true }),
  "load an addon": () => process.dlopen({ exports: {} }, join(process.cwd(), "addon.node")),
  "open an inspector": async () => (await import("node:inspector")).open(0),
  "use a binding": () => (process as never as { binding(name: string): unknown }).binding("fs"),
  "open a debugger in the server": async () => {
    process.kill(process.ppid, "SIGUSR1");
  },
  "open a debugger in the server another way": () =>
    (process as never as { _debugProcess(pid: number): void })._debugProcess(process.ppid),
  "stop the server": () => process.kill(process.ppid, "SIGSTOP"),
  "kill every process of the user": () => process.kill(-1, "SIGKILL"),
  "change the folder": ({ data }) => process.chdir(data),
};

export const attack = ag.route("/attack", NoConfig)(async (targets: Targets) => {
  const outcomes: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(ATTACKS)) {
    try {
      outcomes[name] = "succeeded: " + (await attempt(targets));
    } catch (error) {
      outcomes[name] = String((error as { code?: string }).code ?? error);
    }
  }
  return outcomes;
});

/** Connects to a socket whose path it was told. */
export const connect = ag.route("/connect", NoConfig)(
  ({ path }: { path: string }) =>
    new Promise<string>((resolve) => {
      const socket = net.connect(path);
      socket.on("connect", () => resolve("connected"));
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    }),
);

export const user = ag.route("/user", NoConfig)(async () => ({
  uid: process.getuid?.(),
  gid: process.getgid?.(),
  groups: process.getgroups?.(),
  environment: Object.keys(process.env),
}));
`;
