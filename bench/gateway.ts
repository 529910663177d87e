import { join } from "node:path";
import { during, httpLoad, postRequest } from "./http-load.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import type { ServerProcess } from "./server-process.ts";
import { runAgate, startAgate, startScript, temporaryFolder, untilIdle } from "./server-process.ts";

const ROUND_MS = 1_500;
const ROUNDS = 7;
/** A difference of 3 % needs more of them than the others. */
const ROUTING_ROUNDS = 15;
const servers = join(import.meta.dirname, "route-servers");
const inputs = {
  text: "Agate is a banded variety of chalcedony that forms in volcanic rock over long ages.",
};

/**
 * A call through the platform's gateway, beside the same call of the workflow itself and through a process
 * that only moves bytes. All workflows have their configuration from the platform and send it their spans,
 * as users run them.
 */
export async function benchGateway(): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using platform = await startAgate(folder.path);
  const url = `http://127.0.0.1:${platform.port}`;
  const program = join(servers, "agate-server.ts");
  await runAgate("deploy", program, "--app", "bench", "--environment", "production", "--url", url);
  await using workflow = await startScript(program, {
    AGATE_BASE_URL: url,
    AGATE_APPLICATION: "bench",
  });
  await using pipe = await startScript(join(servers, "byte-pipe.ts"), {
    TARGET_PORT: String(workflow.port),
  });
  const lines: Line[] = [];
  for (const connections of [1, 32]) {
    const direct = measured(workflow.port, "/run/summarize", connections);
    const through = measured(platform.port, "/services/bench/run/summarize", connections);
    const piped = measured(pipe.port, "/run/summarize", connections);
    for (const each of [direct, through, piped]) await each.warmUp();
    // Round by round, so that what else the machine does touches all of them alike.
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of [direct, through, piped]) {
        // What one has left to be indexed must not be done while the next is measured.
        await untilIdle(platform.pid);
        await each.run();
      }
    }
    const at = `${connections} ${connections === 1 ? "connection" : "connections"}`;
    const time = (rate: number) => `${Math.round((connections / rate) * 1e6)} µs`;
    lines.push(
      {
        what: `time of a call through the gateway, ${at}`,
        measured: time(through.rate()),
        reference: `through a bare byte pipe ${time(piped.rate())}; the workflow itself ${time(direct.rate())}`,
        ratio: ratio(piped.rate() / through.rate()),
        target: connections === 1 ? "≤ 1.3" : "≤ 1.2",
      },
      {
        what: `calls through the gateway, ${at}`,
        measured: perSecond(through.rate(), "calls"),
        reference: `the workflow itself ${perSecond(direct.rate(), "calls")}`,
        ratio: ratio(through.rate() / direct.rate()),
        target: connections === 1 ? "none" : "≥ 0.6",
      },
    );
  }
  lines.push(await resolvingLine(workflow.port), await routingLine(platform));
  return lines;
}

/** What it costs a call to find its configuration: on the playground it brings its own. */
async function resolvingLine(port: number): Promise<Line> {
  const deployed = measured(port, "/run/summarize", 32);
  const playground = measured(port, "/playground/run/summarize", 32);
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of [deployed, playground]) await each.run();
  }
  return {
    what: "deployed calls, configuration from the registry, 32 connections",
    measured: perSecond(deployed.rate(), "calls"),
    reference: `the playground endpoint, which answers with its trace, ${perSecond(playground.rate(), "calls")}`,
    ratio: ratio(deployed.rate() / playground.rate()),
    target: "≥ 0.95",
  };
}

/** What it costs a call of 1 KB to name its environment at the end of its body, not in the path: the scan. */
async function routingLine({ port, pid }: ServerProcess): Promise<Line> {
  const padded = { inputs: { text: inputs.text.padEnd(900, "x") } };
  const named = { ...padded, environment: "production" };
  const inBody = measured(port, "/services/bench/run/summarize", 32, named);
  const inPath = measured(port, "/services/bench@production/run/summarize", 32, padded);
  for (const each of [inBody, inPath]) await each.warmUp();
  for (let round = 0; round < ROUTING_ROUNDS; round++) {
    // The other one first each time: a slow-down over time touches both alike.
    for (const each of round % 2 === 0 ? [inBody, inPath] : [inPath, inBody]) {
      await untilIdle(pid);
      await each.run();
    }
  }
  return {
    what: "calls of 1 KB with the environment's name in the body, 32 connections",
    measured: perSecond(inBody.rate(), "calls"),
    reference: `with the name in the path ${perSecond(inPath.rate(), "calls")}`,
    ratio: (inBody.rate() / inPath.rate()).toFixed(3),
    target: "≥ 0.97",
  };
}

function measured(port: number, path: string, connections: number, content: object = { inputs }) {
  const body = new TextEncoder().encode(JSON.stringify(content));
  const request = postRequest(path, "application/json", body);
  const load = () => httpLoad({ port, connections, next: during(ROUND_MS, () => request) });
  const rates: number[] = [];
  return {
    warmUp: load,
    run: async () => {
      rates.push((await load()).perSecond);
    },
    rate: () => median(rates),
  };
}
