import { setTimeout as pause } from "node:timers/promises";
import { REDACTION_PATTERNS } from "@agate/protocol";
import { ingestSpans } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import { processorSeconds } from "./process-tree.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { startAgate, temporaryFolder } from "./server-process.ts";

const SPANS_PER_TURN = 20_000;
const TURNS = 9;
/** One text in so many holds something to redact. */
const PLANTED_EVERY = 50;
/** A server rests that uses less than so much processor time in so long. */
const REST_MS = 250;
const RESTING_SECONDS = 0.02;
const PLANTED = [
  " joe@example.com",
  " 4111 1111 1111 1111",
  " +49 30 901820",
  " DE89370400440532013000",
  " Bearer abc123def456ghi789",
];
const RULES = {
  keys: "password,secret,token,api_key,authorization,card_number,cvc,ssn,iban,date_of_birth".split(
    ",",
  ),
  patterns: REDACTION_PATTERNS,
};

/**
 * Ingest of a project with redaction rules beside one without, in turns on the same server, each batch
 * acknowledged when it is on disk.
 */
export async function benchRedaction(): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  const api = `http://127.0.0.1:${agate.port}/registry`;
  const headers = { "content-type": "application/json" };
  // Both made in the same way, so that they differ in nothing else.
  for (const slug of ["plain", "redacted"]) {
    await call(`${api}/projects`, "POST", headers, { slug });
  }
  await call(`${api}/redaction`, "PUT", { ...headers, "agate-project": "redacted" }, RULES);

  const ending = (text: number) =>
    text % PLANTED_EVERY === 0 ? (PLANTED[(text / PLANTED_EVERY) % PLANTED.length] ?? "") : "";
  const load = createLoad("mixed", { ending });
  const rates: Record<string, number[]> = { plain: [], redacted: [] };
  const cpu: Record<string, number[]> = { plain: [], redacted: [] };
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const project of turn % 2 === 0 ? ["plain", "redacted"] : ["redacted", "plain"]) {
      const before = processorSeconds(agate.pid);
      const sent = await ingestSpans(agate.port, SPANS_PER_TURN, load, {
        "agate-project": project,
      });
      await rest(agate.pid);
      // The first turn is for warming up.
      if (turn === 0) continue;
      rates[project]?.push(sent.perSecond);
      cpu[project]?.push((processorSeconds(agate.pid) - before) / sent.spans);
    }
  }
  const [plain, redacted] = [median(rates.plain ?? []), median(rates.redacted ?? [])];
  const [plainCpu, redactedCpu] = [median(cpu.plain ?? []), median(cpu.redacted ?? [])];
  return [
    {
      what: `ingest with redaction, ${RULES.keys.length} keys and all ready patterns, one span in ${PLANTED_EVERY} redacted`,
      measured: `${perSecond(redacted, "spans")}, ${micros(redactedCpu)} of processor time a span`,
      reference: `without rules ${perSecond(plain, "spans")}, ${micros(plainCpu)}`,
      ratio: `${ratio(redacted / plain)} (processor time ${ratio(redactedCpu / plainCpu)})`,
      target: "≥ 0.95",
    },
  ];
}

/**
 * Waits until a server does no more work. The index of words trails: what it does for one project would be
 * counted for the next.
 */
async function rest(pid: number): Promise<void> {
  for (let before = processorSeconds(pid); ; ) {
    await pause(REST_MS);
    const now = processorSeconds(pid);
    if (now - before < RESTING_SECONDS) return;
    before = now;
  }
}

function micros(seconds: number): string {
  return `${(seconds * 1e6).toFixed(1)} µs`;
}

async function call(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Promise<void> {
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}
