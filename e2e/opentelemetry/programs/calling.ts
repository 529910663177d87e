// An app whose routes call another one, at OTHER_URL, in two ways.
import * as ag from "@agate/sdk";
import type { app } from "./describing.ts";

const other = process.env.OTHER_URL ?? "";
const client = ag.createClient<typeof app>(other);
class NoConfig extends ag.BaseModel {}

ag.route("/by-client", NoConfig)(async (inputs: { stone: string }) => client.describe(inputs));

ag.route(
  "/by-fetch",
  NoConfig,
)(async (inputs: { stone: string }) => {
  const response = await fetch(`${other}/run/describe`, {
    method: "POST",
    headers: { "content-type": "application/json", ...ag.tracing.headers() },
    body: JSON.stringify({ inputs }),
  });
  return ((await response.json()) as { data: string }).data;
});

const { url } = await ag.serve();
console.log(url);
