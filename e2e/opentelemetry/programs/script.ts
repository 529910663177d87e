// A script that serves nothing: `--flush` has it send its spans itself. `ag.init` is given what the
// variable OPTIONS has, as JSON.
import { setImmediate } from "node:timers/promises";
import * as ag from "@agate/sdk";

ag.init(JSON.parse(process.env.OPTIONS ?? "{}"));

const describe = ag.instrument()(async function describe(stone: string) {
  return `${stone} is banded.`;
});

await describe("Agate");
if (process.argv.includes("--flush")) {
  await ag.flush();
  await setImmediate();
  console.log(JSON.stringify({ holding: process.getActiveResourcesInfo() }));
}
// Leaves no time for them.
if (process.argv.includes("--exit")) process.exit();
