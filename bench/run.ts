import { parseArgs } from "node:util";
import { build } from "../packages/cli/build.ts";
import { build as buildSdk } from "../packages/sdk/build.ts";
import { benchDatabaseRead } from "./database-read.ts";
import { benchEvaluation } from "./evaluation.ts";
import { benchGateway } from "./gateway.ts";
import { benchGrowth } from "./growth.ts";
import { benchHugeTrace } from "./huge-trace.ts";
import { benchIngest } from "./ingest.ts";
import { benchListRead } from "./list-read.ts";
import { LOADS } from "./loads/trace-plans.ts";
import { benchMemory } from "./memory.ts";
import { benchPage } from "./page.ts";
import { benchPeers } from "./peers/bench-peers.ts";
import { peersProblem } from "./peers/peers-problem.ts";
import { benchRedaction } from "./redaction.ts";
import { type Line, printLines } from "./report.ts";
import { benchRouteCall } from "./route-call.ts";
import { benchStartUp } from "./start-up.ts";
import { benchStores } from "./stores/bench-stores.ts";
import { ENGINES } from "./stores/engine.ts";
import { benchTraceRead } from "./trace-read.ts";

const USAGE = `npm run bench [-- NAME…] [-- --spans 10000000] [-- --engines sqlite,postgres] [-- --load agent]

Names: trace-read, database-read, list-read, ingest, redaction, route-call, gateway, evaluation, growth, huge-trace, memory, start-up, page, stores. Without one, all of them.
Only when named: peers, which compares with MLflow and Phoenix and needs Python.
--spans: how far growth, memory and stores go (default 1,000,000; growth has its target at 10,000,000).
--trace-spans: how large the trace of huge-trace is (default 200,000; at most 900,000).
--traces: how many traces page stores (default 100,000; its target is at 1,000,000).
--load: what ingest, trace-read, database-read, growth, memory and stores send: mixed (default) or agent.
--engines: which ones list-read and database-read measure and stores compares, the first with the others (default ${ENGINES.join(",")}); which ones growth measures (default sqlite).
--peer-spans: how many spans peers sends to each (default 10,000; 1,000 to 15,000).
--venv: a folder that keeps the virtual environment of peers (default: a temporary one).
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    spans: { type: "string", default: "1000000" },
    "trace-spans": { type: "string", default: "200000" },
    traces: { type: "string", default: "100000" },
    engines: { type: "string" },
    load: { type: "string", default: "mixed" },
    "peer-spans": { type: "string", default: "10000" },
    venv: { type: "string" },
    help: { type: "boolean" },
  },
});
const spans = Number(values.spans);
const traceSpans = Number(values["trace-spans"]);
const traces = Number(values.traces);
const named = values.engines?.split(",");
const engines = ENGINES.filter((engine) => named?.includes(engine) ?? true);
const grown = named === undefined ? (["sqlite"] as const) : engines;
const load = LOADS.find((name) => name === values.load) ?? "mixed";
const lines = (bench: () => Promise<Line[]>) => async () => printLines(await bench());
const benches = new Map([
  ["trace-read", lines(() => benchTraceRead(load))],
  ["database-read", lines(() => benchDatabaseRead(load, engines))],
  ["list-read", lines(() => benchListRead(engines))],
  ["ingest", lines(() => benchIngest(load))],
  ["redaction", lines(benchRedaction)],
  ["route-call", lines(benchRouteCall)],
  ["gateway", lines(benchGateway)],
  ["evaluation", lines(benchEvaluation)],
  ["growth", lines(() => benchGrowth(load, spans, grown))],
  ["huge-trace", lines(() => benchHugeTrace(traceSpans))],
  ["memory", lines(() => benchMemory(load, spans))],
  ["start-up", lines(benchStartUp)],
  ["page", lines(() => benchPage(traces))],
  ["stores", () => benchStores(load, spans, engines)],
  ["peers", () => benchPeers(Number(values["peer-spans"]), values.venv)],
]);
/** These need more than this repository brings. */
const ONLY_NAMED = ["peers"];
// Growth compares with 100,000.
const leastSpans = positionals.join() === "stores" ? 10_000 : 100_000;
const unknown = positionals.filter((name) => !benches.has(name));
const isUsable =
  load === values.load &&
  spans >= leastSpans &&
  traceSpans >= 1 &&
  traceSpans <= 900_000 &&
  traces >= 50;
if (values.help === true || unknown.length > 0 || !isUsable || engines.length === 0) {
  process.stderr.write(USAGE);
  process.exit(values.help === true ? 0 : 2);
}
const problem = positionals.includes("peers")
  ? peersProblem(values["peer-spans"], values.venv, process.env)
  : null;
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

await build();
await buildSdk();
for (const [name, bench] of benches) {
  const isChosen =
    positionals.length === 0 ? !ONLY_NAMED.includes(name) : positionals.includes(name);
  if (isChosen) await bench();
}
