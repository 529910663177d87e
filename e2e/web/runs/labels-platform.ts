import { installSdk, makeFolder } from "../../packing/user-project.fixture.ts";
import { runAgate } from "../../run-agate.ts";
import { startServer } from "../../running-server.ts";
import type { Platform } from "../with-platform.ts";

/** Labels tickets by the words of its configuration; a ticket that says so is never answered. */
const APP = `import * as ag from "@agate/sdk";
class LabelConfig extends ag.BaseModel {
  billing = ag.Field(ag.str, { default: "invoice", description: "Words of tickets for billing." });
}
export const label = ag.route("/label", LabelConfig)(
  async ({ text }: { text: string }, { config, signal }) => {
    if (text === "hang") {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    }
    const words = config.billing.split(", ");
    return words.some((word) => text.includes(word)) ? "billing" : "support";
  },
);
`;

const EVALS = `import * as ag from "@agate/sdk";
import { checks, evaluation, scorer } from "@agate/sdk/evals";
import { label } from "./app.ts";
class BriefConfig extends ag.BaseModel {
  letters = ag.Field(ag.int, { default: 10, ge: 1 });
}
const brief = scorer("brief", BriefConfig)(
  ({ output }: { output: string }, { config }) => output.length <= config.letters,
);
export const labels = evaluation("labels", {
  route: label,
  testset: "golden",
  scorers: { right: checks.equals() },
  gate: { scores: { right: { min: 1 } } },
});
export const endless = evaluation("endless", {
  route: label,
  testset: [{ id: "quick", inputs: { text: "Hi" } }, { id: "slow", inputs: { text: "hang" } }],
  scorers: { brief },
});
`;

export interface LabelsPlatform extends Platform {
  /** Calls the route in production. */
  label(text: string): Promise<{ readonly data: string; readonly trace_id: string }>;
}

/** A platform with an application that was deployed to production with its eval files. */
export async function startLabels(): Promise<LabelsPlatform> {
  await using parts = new AsyncDisposableStack();
  const user = parts.use(
    await makeFolder({
      "package.json": { name: "tickets", type: "module", dependencies: { "@agate/sdk": "*" } },
      "app.ts": APP,
      "labels.eval.ts": EVALS,
    }),
  );
  const [server] = await Promise.all([startServer(), installSdk(user.path)]);
  parts.use(server);
  const { url } = server;
  const deploy = ["deploy", user.at("app.ts"), "--app", "tickets", "--environment", "production"];
  const { code, stderr } = await runAgate(deploy, {
    env: { ...process.env, AGATE_BASE_URL: url },
  });
  if (code !== 0) throw new Error(`The deploy failed:\n${stderr}`);
  const started = parts.move();
  return {
    url,
    async label(text) {
      const response = await fetch(`${url}/services/tickets/run/label`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ inputs: { text } }),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as { data: string; trace_id: string };
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
