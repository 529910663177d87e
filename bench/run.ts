import { parseArgs } from "node:util";
import { build } from "../packages/cli/build.ts";
import { build as buildSdk } from "../packages/sdk/build.ts";
import { benchGateway } from "./gateway.ts";
import { benchGrowth } from "./growth.ts";
import { benchIngest } from "./ingest.ts";
import { printLines } from "./report.ts";
import { benchRouteCall } from "./route-call.ts";
import { benchStartUp } from "./start-up.ts";
import { benchTraceRead } from "./trace-read.ts";

const USAGE = `npm run bench [-- NAME…] [-- --spans 10000000]

Names: trace-read, ingest, route-call, gateway, growth, start-up. Without one, all of them.
--spans: how far growth goes (default 1,000,000; the target is set at 10,000,000).
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { spans: { type: "string", default: "1000000" }, help: { type: "boolean" } },
});
const benches = new Map([
  ["trace-read", benchTraceRead],
  ["ingest", benchIngest],
  ["route-call", benchRouteCall],
  ["gateway", benchGateway],
  ["growth", () => benchGrowth(Number(values.spans))],
  ["start-up", benchStartUp],
]);
const unknown = positionals.filter((name) => !benches.has(name));
if (values.help === true || unknown.length > 0 || !(Number(values.spans) >= 100_000)) {
  process.stderr.write(USAGE);
  process.exit(values.help === true ? 0 : 2);
}

await build();
await buildSdk();
for (const [name, bench] of benches) {
  if (positionals.length === 0 || positionals.includes(name)) printLines(await bench());
}
