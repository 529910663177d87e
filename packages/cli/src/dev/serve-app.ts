import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { pathToFileURL } from "node:url";
import { listenFailure } from "@agate/platform/options";
import { type BrokenCode, type Bundle, bundleApp } from "../packing/bundle-app.ts";
import type { Project, Refusal } from "../packing/project.ts";
import { createBundleFolder, placeBundle } from "./bundle-folder.ts";
import type { ServedCall } from "./dev-event.ts";
import { readEnvFile, unsetIn } from "./env-file.ts";
import { nameApp, nameVariables } from "./name-app.ts";
import { watchServedCalls } from "./served-calls.ts";

export interface ServeAppOptions {
  readonly project: Project;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** The application's slug; without it the one that the environment or the project says. */
  readonly application: string | undefined;
  /** Origins of pages that may call it, instead of those that the program names. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Told of each call when it is over. */
  readonly onCall: (call: ServedCall) => void;
}

export type ServeAppOutcome =
  | { readonly kind: "serving"; readonly url: string; readonly application: string }
  /** The program itself threw while it started. */
  | { readonly kind: "threw"; readonly error: unknown }
  | BrokenCode
  | Refusal;

/**
 * Serves a program in this process, from its bundle: decorators work, and signals, exit codes and
 * the process's id are the program's own.
 */
export async function serveApp(options: ServeAppOptions): Promise<ServeAppOutcome> {
  const { project, host } = options;
  const bundle = await bundleOnce(project);
  if (bundle.kind === "broken") return bundle;
  const address = await findAddress(host, options.port);
  if (address.kind === "refused") return address;
  const { env } = process;
  Object.assign(env, unsetIn(env, readEnvFile(project.folder)));
  const application = nameApp(project, options.application, env);
  if (typeof application !== "string") return application;
  const folder = createBundleFolder(project, "serve");
  if (typeof folder !== "string") return folder;
  Object.assign(env, nameVariables(application, options.application, env));
  const shownHost = host.includes(":") ? `[${host}]` : host;
  env.AGATE_LISTEN = `tcp:${shownHost}:${address.port}`;
  if (options.corsOrigins !== undefined) env.AGATE_CORS_ORIGINS = options.corsOrigins.join();
  process.setSourceMapsEnabled(true);
  watchServedCalls(address.port, options.onCall);
  try {
    await import(pathToFileURL(placeBundle(bundle.files, folder)).href);
  } catch (error) {
    return { kind: "threw", error };
  } finally {
    // Loaded is loaded, its source map too.
    rmSync(folder, { recursive: true, force: true });
  }
  return { kind: "serving", url: `http://${shownHost}:${address.port}`, application };
}

async function bundleOnce(project: Project): Promise<Bundle | BrokenCode> {
  const bundle = await bundleApp(project, { runs: "here" });
  // Its own process is needed no more.
  const { stop } = await import("esbuild");
  await stop();
  return bundle;
}

type AddressOutcome =
  | { readonly kind: "free"; readonly port: number }
  /** One sentence, with what to do. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Whether a program could listen there; port 0 becomes a free one. Asked before the program is
 * started, which would fail with a stack trace.
 */
async function findAddress(host: string, port: number): Promise<AddressOutcome> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    const reason = listenFailure((error as NodeJS.ErrnoException).code, host, port);
    if (reason === undefined) throw error;
    return { kind: "refused", reason };
  }
  const free = (server.address() as AddressInfo).port;
  server.close();
  await once(server, "close");
  return { kind: "free", port: free };
}
