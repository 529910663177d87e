// A small app. `ag.init` is given what the variable OPTIONS has, as JSON.
import { once } from "node:events";
import * as ag from "@agate/sdk";

ag.init(JSON.parse(process.env.OPTIONS ?? "{}"));

class DescribeConfig extends ag.BaseModel {
  length = ag.Field(ag.int, { default: 10, ge: 1 });
}

const shorten = ag.instrument()(async function shorten(text: string, length: number) {
  return text.slice(0, length);
});

const describe = ag.route(
  "/describe",
  DescribeConfig,
)(async ({ stone }: { stone: string }, { config }) =>
  shorten(`${stone} is banded.`, config.length),
);

// Lasts until the process is asked to end.
const wait = ag.route(
  "/wait",
  DescribeConfig,
)(async () => {
  console.log("waiting");
  await once(process, "SIGTERM");
  return "done";
});

export const app = ag.app(describe, wait);

// Told to (SIGUSR2), it sends what it has and says when that is over.
process.on("SIGUSR2", async () => {
  await ag.flush();
  console.log(JSON.stringify({ statistics: ag.exportStatistics() }));
});
const { url } = await ag.serve();
console.log(url);
