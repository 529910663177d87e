import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registerQuickstart } from "../../scripts/register-quickstart.ts";
import { type RunningAgate, startAgate } from "../dev/running-agate.ts";

const example = join(import.meta.dirname, "../../examples/quickstart");

/** The built platform with the quickstart in it, its variants and its environments. */
export interface QuickstartPlatform extends AsyncDisposable {
  readonly url: string;
  readonly agate: RunningAgate;
  /** Calls a route of the quickstart as a deployed one; gives the trace's id. */
  call(route: string, body: object): Promise<string>;
}

/**
 * @example
 * await using platform = await startQuickstart();
 * await platform.call("/", { inputs: { question: "What is agate?" } });
 */
export async function startQuickstart(): Promise<QuickstartPlatform> {
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "agate-web-"));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const agate = await startAgate(
    ["dev", "app.ts", "--app", "quickstart", "--port", "0", "--data-dir", folder],
    {
      cwd: example,
      env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" },
    },
  );
  parts.use(agate);
  const { url } = agate;
  await agate.printed(/Ready in/);
  await registerQuickstart({
    platformUrl: url,
    workflowUrl: `${url}/services/quickstart`,
    configFile: join(example, "agate.config.json"),
  });
  const started = parts.move();
  return {
    url,
    agate,
    async call(route, body) {
      const path = route === "/" ? "" : route;
      const response = await fetch(`${url}/services/quickstart/run${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const { trace_id } = (await response.json()) as { readonly trace_id: string };
      return trace_id;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
