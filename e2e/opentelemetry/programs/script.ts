// A script that serves nothing: `--flush` has it send its spans itself.
import { setImmediate } from "node:timers/promises";
import * as ag from "@agate/sdk";

const describe = ag.instrument()(async function describe(stone: string) {
  return `${stone} is banded.`;
});

await describe("Agate");
if (process.argv.includes("--flush")) {
  await ag.flush();
  await setImmediate();
  console.log(JSON.stringify({ holding: process.getActiveResourcesInfo() }));
}
