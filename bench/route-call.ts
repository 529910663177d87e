import { join } from "node:path";
import { during, httpLoad, postRequest } from "./http-load.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { type ServerProcess, startScript } from "./server-process.ts";

const CONNECTIONS = 32;
const ROUND_MS = 3_000;
const ROUNDS = 5;
const servers = join(import.meta.dirname, "route-servers");
const text = "Agate is a banded variety of chalcedony that forms in volcanic rock over long ages.";

/** A call of a route, traced and exported, beside the same work without and with other frameworks. */
export async function benchRouteCall(): Promise<Line[]> {
  await using sink = await startScript(join(servers, "span-sink.ts"));
  const exporting = {
    AGATE_BASE_URL: `http://127.0.0.1:${sink.port}`,
    AGATE_CONFIG_FILE: join(servers, "agate.config.json"),
    AGATE_APPLICATION: "bench",
  };
  await using agate = await startScript(join(servers, "agate-server.ts"), exporting);
  await using redacting = await startScript(join(servers, "agate-server.ts"), {
    ...exporting,
    OPTIONS: JSON.stringify({ redact: ["cardNumber", "email"] }),
  });
  await using hono = await startScript(join(servers, "hono-server.ts"));
  await using genkit = await startScript(join(servers, "genkit-server.ts"), {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sink.port}`,
  });

  const deployed = measured(agate, "/run/summarize", { inputs: { text } });
  const redacted = measured(redacting, "/run/summarize", { inputs: { text } });
  const playground = measured(agate, "/playground/run/summarize", { inputs: { text } });
  const bare = measured(hono, "/run/summarize", { inputs: { text } });
  const flow = measured(genkit, "/run/summarize", { data: { text } });
  for (const each of [deployed, redacted, playground, bare, flow]) await each.warmUp();
  // Round by round, so that what else the machine does touches all of them alike.
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of [deployed, redacted, bare, flow, playground]) await each.run();
  }
  await checkExported(agate);
  const rate = deployed.rate();
  return [
    line("route call, traced and exported", rate, "bare Hono with zod", bare.rate(), "≥ 0.7"),
    line(
      "route call, traced and exported",
      rate,
      "Genkit flow server, exporting too",
      flow.rate(),
      "≥ 2.2",
    ),
    line(
      "route call, with keys to be redacted",
      redacted.rate(),
      "the same without",
      rate,
      "≥ 0.6",
    ),
    line(
      "playground call, with its tree",
      playground.rate(),
      "bare Hono with zod",
      bare.rate(),
      "none",
    ),
  ];
}

function measured(server: ServerProcess, path: string, body: object) {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const request = postRequest(path, "application/json", bytes);
  const load = (milliseconds: number) =>
    httpLoad({
      port: server.port,
      connections: CONNECTIONS,
      next: during(milliseconds, () => request),
    });
  const rates: number[] = [];
  return {
    warmUp: () => load(ROUND_MS),
    run: async () => {
      rates.push((await load(ROUND_MS)).perSecond);
    },
    rate: () => median(rates),
  };
}

function line(what: string, rate: number, other: string, reference: number, target: string): Line {
  return {
    what: `${what}, ${CONNECTIONS} connections`,
    measured: perSecond(rate, "calls"),
    reference: `${other} ${perSecond(reference, "calls")}`,
    ratio: ratio(rate / reference),
    target,
  };
}

// A figure for calls whose spans were dropped would be none.
async function checkExported({ port }: ServerProcess): Promise<void> {
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  const { telemetry } = (await health.json()) as {
    telemetry: { exported: number; dropped: number; queued: number };
  };
  process.stdout.write(`spans of the route calls: ${JSON.stringify(telemetry)}\n`);
}
