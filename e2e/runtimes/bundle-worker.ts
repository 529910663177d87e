import { build } from "esbuild";

export interface WorkerOptions {
  /** The source of the worker. */
  readonly entry: string;
  readonly bindings: Readonly<Record<string, string>>;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
}

/** From this date on, `nodejs_compat` needs no flag. */
export const NODE_BY_DEFAULT = "2026-08-04";

/** A worker in one file, as wrangler makes it. */
export async function bundleWorker(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    target: "es2024",
    external: ["node:*", "cloudflare:*"],
    // The published package has no tsconfig.json beside it that could change what its imports mean.
    tsconfigRaw: {},
    write: false,
  });
  return outputFiles[0]!.text;
}

/** The configuration of a `workerd` that serves `worker.js` on a free port. */
export function workerConfiguration({
  bindings = {},
  compatibilityDate = NODE_BY_DEFAULT,
  compatibilityFlags = ["enable_request_signal"],
}: Partial<WorkerOptions>): string {
  const texts = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  return `
    using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "main", worker = .worker),
        (name = "internet", network = (allow = ["private", "local"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );
    const worker :Workerd.Worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = ${JSON.stringify(compatibilityDate)},
      compatibilityFlags = [${compatibilityFlags.map((flag) => JSON.stringify(flag)).join(", ")}],
      bindings = [${texts.join(", ")}],
    );`;
}
