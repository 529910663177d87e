import { expect } from "vitest";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import type { RunningServer } from "../running-server.ts";

/** Its parts are searched for, too: each is a line, and has what JSON and URLs escape. */
const CANARY = ['canary-one-5b8efff7"&', "canary-two-98038103'ü"];
export const SECRET = CANARY.join("\n");
export const WORD = "canary-";

/** Leaks its secret in every way it can. */
export const LEAKING = `import * as ag from "@agate/sdk";

class LeakConfig extends ag.BaseModel {
  word = ag.Field(ag.str, { default: "default" });
}

const step = ag.instrument({ name: "step" })(async (input: { token: string; json: string }) => [input]);

export const leak = ag.route("/leak", LeakConfig)(async () => {
  const token = process.env.TOKEN ?? "";
  const other = process.env.OTHER ?? "";
  console.log(token, JSON.stringify({ token }), encodeURIComponent(token));
  console.error(new Error(token));
  for (const line of token.split("\\n")) await step({ token: line, json: JSON.stringify({ line }) });
  await step({ token: encodeURIComponent(token), json: JSON.stringify(JSON.stringify([token])) });
  return { pid: process.pid, length: token.length, other };
});
`;

/** The text of an answer. */
export async function get(server: RunningServer, path: string): Promise<string> {
  return (await fetch(server.url + path)).text();
}

/** Sets the secret, deploys {@link LEAKING} as packed, calls it, and gives everything that clients can read. */
export async function leakOn(
  server: RunningServer,
  archive: Uint8Array<ArrayBuffer>,
): Promise<{ answers: string; pid: number }> {
  const client = deployClient(server.url, "leaky");
  await fetch(`${server.url}/registry/applications`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ slug: "leaky" }),
  });
  const path = "/environments/production/variables";
  const set = { TOKEN: SECRET, OTHER: { value: "plain-value", plain: true } };
  const changed = await client.send("PATCH", path, { set });
  expect(changed.status, await changed.clone().text()).toBe(200);
  const deployed = await client.deploy(archive, "?environment=production");
  const answers = [await changed.text(), await deployed.text()];
  const called = await client.call("/run/leak", { inputs: {} });
  const text = await called.text();
  const { data } = JSON.parse(text) as { data: { pid: number; length: number; other: string } };
  // The code has it.
  expect(data, `${text} ${answers[1]}`).toMatchObject({
    length: SECRET.length,
    other: "plain-value",
  });
  // All spans of the call, of which the last comes at its end.
  await expect
    .poll(() => get(server, "/observability/spans/?limit=100"), { timeout: 30_000, interval: 200 })
    .toContain('"/leak"');
  await expect
    .poll(() => get(server, "/registry/applications/leaky/logs?tail=1000"), { timeout: 30_000 })
    .toContain("[secret:TOKEN]");
  for (const url of [
    "/observability/spans/?limit=100&content=full",
    "/observability/traces/?limit=100&content=full",
    "/registry/applications/leaky/logs?tail=1000",
    `/registry/applications/leaky${path}`,
    "/registry/applications/leaky/environments",
    "/registry/applications/leaky",
  ]) {
    answers.push(await get(server, url));
  }
  return { answers: [text, ...answers].join("\n"), pid: data.pid };
}
