import { join } from "node:path";
import { during, httpLoad, postRequest } from "./http-load.ts";
import { ownProcessorSeconds } from "./process-tree.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { runAgate, startAgate, startScript, temporaryFolder } from "./server-process.ts";

const ROUND_MS = 400;
/**
 * Over 32 connections. Calls, not seconds: what has run less is slower, and on a busy machine the gateway was
 * called a tenth as often as the byte pipe in the same time.
 */
const WARM_UP_CALLS = 10_000;
/** Over one connection fewer calls fit into a round. */
const ROUNDS = { 1: 15, 32: 12 };
const RESOLVING_ROUNDS = 10;
/** A difference of 3 % needs more of them than the others. */
const ROUTING_ROUNDS = 24;
const servers = join(import.meta.dirname, "route-servers");
const TEXT = "Agate is a banded variety of chalcedony that forms in volcanic rock over long ages.";

/**
 * A call through the platform's gateway, beside the same call of the workflow itself, through a process that
 * only moves bytes, and through two bare forwarders. All workflows have their configuration from the platform,
 * and send their spans to a process that throws them away.
 */
export async function benchGateway(): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using sink = await startScript(join(servers, "span-sink.ts"));
  const telemetry = { SPANS_URL: `http://127.0.0.1:${sink.port}` };
  await using platform = await startAgate(folder.path, telemetry, ["--pass-env", "SPANS_URL"]);
  const url = `http://127.0.0.1:${platform.port}`;
  const program = join(servers, "agate-server.ts");
  await runAgate("deploy", program, "--app", "bench", "--environment", "production", "--url", url);
  const environment = { AGATE_BASE_URL: url, AGATE_APPLICATION: "bench", ...telemetry };
  await using workflow = await startScript(program, environment, true);
  const target = { TARGET_PORT: String(workflow.port) };
  await using pipe = await startScript(join(servers, "byte-pipe.ts"), target);
  await using forwarder = await startScript(join(servers, "forwarder.ts"), target);
  await using parser = await startScript(join(servers, "own-parser-forwarder.ts"), target);

  const lines: Line[] = [];
  for (const connections of [1, 32] as const) {
    const call = { path: "/run/summarize", connections };
    const through = measured({ ...call, ...platform, path: `/services/bench${call.path}` });
    const piped = measured({ ...call, ...pipe });
    const forwarded = measured({ ...call, ...forwarder });
    const parsed = measured({ ...call, ...parser });
    const direct = measured({ ...call, ...workflow });
    await alternate([through, piped, forwarded, parsed, direct], ROUNDS[connections]);
    const at = `${connections} ${connections === 1 ? "connection" : "connections"}`;
    lines.push(
      {
        what: `time of a call through the gateway, ${at}`,
        measured: through.time(),
        reference: `through a bare byte pipe ${piped.time()}; the workflow itself ${direct.time()}`,
        ratio: ratio(through.slowerThan(piped)),
        target: connections === 1 ? "≤ 1.3" : "≤ 1.2",
      },
      {
        what: `time of a call through a bare forwarder on node:http, ${at}`,
        measured: forwarded.time(),
        reference: `through a bare byte pipe ${piped.time()}`,
        ratio: ratio(forwarded.slowerThan(piped)),
        target: "none",
      },
      {
        what: `time of a call through a bare forwarder with a parser of its own, ${at}`,
        measured: parsed.time(),
        reference: `through a bare byte pipe ${piped.time()}`,
        ratio: ratio(parsed.slowerThan(piped)),
        target: "none",
      },
      {
        what: `processor time of the gateway's process a call, ${at}`,
        measured: through.processorTime(),
        reference: `byte pipe ${piped.processorTime()}; forwarder on node:http ${forwarded.processorTime()}, with a parser of its own ${parsed.processorTime()}`,
        ratio: ratio(through.processorMicroseconds() / piped.processorMicroseconds()),
        target: "none",
      },
      {
        what: `calls through the gateway, ${at}`,
        measured: perSecond(through.rate(), "calls"),
        reference: `the workflow itself ${perSecond(direct.rate(), "calls")}`,
        ratio: ratio(1 / through.slowerThan(direct)),
        target: connections === 1 ? "none" : "≥ 0.6",
      },
    );
  }
  lines.push(await resolvingLine(workflow), await routingLine(platform));
  return lines;
}

/** A server in a process of its own. */
interface Measurable {
  readonly pid: number;
  readonly port: number;
}

/** What it costs a call to find its configuration: on the playground it brings its own. */
async function resolvingLine(workflow: Measurable): Promise<Line> {
  const deployed = measured({ ...workflow, path: "/run/summarize", connections: 32 });
  const playground = measured({ ...workflow, path: "/playground/run/summarize", connections: 32 });
  await alternate([deployed, playground], RESOLVING_ROUNDS);
  return {
    what: "deployed calls, configuration from the registry, 32 connections",
    measured: perSecond(deployed.rate(), "calls"),
    reference: `the playground endpoint, which answers with its trace, ${perSecond(playground.rate(), "calls")}`,
    ratio: ratio(playground.slowerThan(deployed)),
    target: "≥ 0.95",
  };
}

/** What it costs a call of 1 KB to name its environment at the end of its body, not in the path: the scan. */
async function routingLine(platform: Measurable): Promise<Line> {
  const padded = { inputs: { text: TEXT.padEnd(900, "x") } };
  const named = { ...padded, environment: "production" };
  const call = { ...platform, connections: 32 };
  const inBody = measured({ ...call, path: "/services/bench/run/summarize", content: named });
  const path = "/services/bench@production/run/summarize";
  const inPath = measured({ ...call, path, content: padded });
  await alternate([inBody, inPath], ROUTING_ROUNDS);
  return {
    what: "calls of 1 KB with the environment's name in the body, 32 connections",
    measured: perSecond(inBody.rate(), "calls"),
    reference: `with the name in the path ${perSecond(inPath.rate(), "calls")}`,
    ratio: inPath.slowerThan(inBody).toFixed(3),
    target: "≥ 0.97",
  };
}

interface MeasuredCall extends Measurable {
  readonly path: string;
  readonly connections: number;
  readonly content?: object;
}

interface Round {
  readonly calls: number;
  readonly callsPerSecond: number;
  readonly processorSeconds: number;
}

type Measured = ReturnType<typeof measured>;

function measured({ pid, port, path, connections, content }: MeasuredCall) {
  const body = new TextEncoder().encode(JSON.stringify(content ?? { inputs: { text: TEXT } }));
  const request = postRequest(path, "application/json", body);
  const rounds: Round[] = [];
  const rate = () => median(rounds.map(({ callsPerSecond }) => callsPerSecond));
  /** Of all rounds together: it is counted in steps of 10 ms. */
  const processorMicroseconds = () =>
    (sum(rounds.map((round) => round.processorSeconds)) * 1e6) /
    sum(rounds.map(({ calls }) => calls));
  return {
    rounds,
    warmUp: () => {
      let left = WARM_UP_CALLS;
      return httpLoad({ port, connections: 32, next: () => (left-- > 0 ? request : undefined) });
    },
    run: async () => {
      const before = ownProcessorSeconds(pid);
      const { answers: calls, perSecond: callsPerSecond } = await httpLoad({
        port,
        connections,
        next: during(ROUND_MS, () => request),
      });
      rounds.push({ calls, callsPerSecond, processorSeconds: ownProcessorSeconds(pid) - before });
    },
    rate,
    time: () => `${Math.round((connections / rate()) * 1e6)} µs`,
    processorMicroseconds,
    processorTime: () => `${Math.round(processorMicroseconds())} µs`,
    /** How many times as long a call takes: the median of the ratios of each alternation. */
    slowerThan: (other: { readonly rounds: readonly Round[] }) =>
      median(
        rounds.map((round, n) => (other.rounds[n] as Round).callsPerSecond / round.callsPerSecond),
      ),
  };
}

/** Round by round, each time in another order, so that what else the machine does touches all of them alike. */
async function alternate(all: readonly Measured[], rounds: number): Promise<void> {
  for (const each of all) await each.warmUp();
  for (let round = 0; round < rounds; round++) {
    const first = round % all.length;
    for (const each of [...all.slice(first), ...all.slice(0, first)]) await each.run();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
