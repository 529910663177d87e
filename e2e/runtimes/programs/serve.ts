// Serves the workflow on Node, Bun or Deno, each in its own way, and prints the address.
//   RUNTIME serve.ts '{"file": "…", "init": {…}}'
import * as ag from "@agate/sdk";
import { declareRoutes } from "./workflow.ts";

interface OtherRuntimes {
  readonly Bun?: {
    serve(options: { port: number; hostname: string; fetch: unknown }): { readonly port: number };
  };
  readonly Deno?: {
    readonly args: readonly string[];
    serve(options: object, handler: unknown): { readonly addr: { readonly port: number } };
  };
}

const { Bun, Deno } = globalThis as OtherRuntimes;
const { file, init } = JSON.parse((Deno?.args[0] ?? process.argv[2]) as string) as {
  readonly file?: string;
  readonly init?: ag.AppOptions;
};

ag.init({ redact: ["password"], ...init });
declareRoutes(file);
const hostname = "127.0.0.1";

if (Bun !== undefined) {
  const { port } = Bun.serve({ port: 0, hostname, fetch: ag.app().fetch });
  console.log(`http://${hostname}:${port}`);
} else if (Deno !== undefined) {
  const { addr } = Deno.serve({ port: 0, hostname, onListen() {} }, ag.app().fetch);
  console.log(`http://${hostname}:${addr.port}`);
} else {
  const { url } = await ag.serve({ port: 0 });
  console.log(url);
}
