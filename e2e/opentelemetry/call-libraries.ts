import type { SpanRecord } from "@agate/protocol";
import { readTrace } from "../clients/read-back.ts";
import { post } from "./post.ts";
import { spansPrinted, statisticsPrinted } from "./printed.ts";
import type { PrintedSpan } from "./programs/printing-exporter.ts";
import { type EndedProgram, type ProgramOptions, startProgram } from "./running-program.ts";

/** One call of each route of `programs/libraries.ts`, by each of its endpoints. */
const ROUTES = ["openai", "openai-stream", "agent", "ai-stream"] as const;
type RouteName = (typeof ROUTES)[number];

interface PlaygroundTrace {
  readonly stored: SpanRecord;
  readonly answered: SpanRecord | undefined;
}

export interface LibraryCalls {
  /** What the platform has of the deployed calls. */
  readonly deployed: Readonly<Record<RouteName, SpanRecord>>;
  /** What it has of the playground calls, and the trees that their answers carried. */
  readonly playground: Readonly<Record<RouteName, PlaygroundTrace>>;
  /** What the user's own exporter got. */
  readonly exported: readonly PrintedSpan[];
  /** How many spans Agate's exporter has sent. */
  readonly sent: number;
  readonly ended: EndedProgram;
}

/** Runs `programs/libraries.ts`, calls its routes and reads back what became of them. */
export async function callLibraries(
  serverUrl: string,
  openaiUrl: string,
  options: ProgramOptions,
): Promise<LibraryCalls> {
  const env = {
    AGATE_BASE_URL: serverUrl,
    AGATE_APPLICATION: "geology",
    AGATE_CONFIG_FILE: "agate.config.json",
    OPENAI_BASE_URL: openaiUrl,
    OPENAI_API_KEY: "none",
  };
  await using program = await startProgram("libraries.ts", { ...options, env });
  const inputs = { question: "Which stone is blue?" };
  const call = async (endpoint: string) =>
    (await post(`${program.url}${endpoint}`, { inputs })).body;
  const answers = [];
  for (const route of ROUTES) {
    const deployed = await call(`/run/${route}`);
    answers.push({ route, deployed, playground: await call(`/playground/run/${route}`) });
  }
  const ended = await program.end();

  const deployed = new Map<RouteName, SpanRecord>();
  const playground = new Map<RouteName, PlaygroundTrace>();
  for (const { route, deployed: run, playground: tried } of answers) {
    deployed.set(route, await readTrace(serverUrl, run.trace_id));
    const stored = await readTrace(serverUrl, tried.trace_id);
    playground.set(route, { stored, answered: tried.trace });
  }
  return {
    deployed: Object.fromEntries(deployed) as LibraryCalls["deployed"],
    playground: Object.fromEntries(playground) as LibraryCalls["playground"],
    exported: spansPrinted(ended),
    sent: statisticsPrinted(ended).exported,
    ended,
  };
}
