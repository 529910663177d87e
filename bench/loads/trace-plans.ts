import type { Blank } from "./protobuf-writer.ts";

/** What a load consists of; see README.md. */
export type LoadName = "mixed" | "agent";
export const LOADS: readonly LoadName[] = ["mixed", "agent"];

export const APPLICATIONS = ["shop", "desk", "mail", "docs", "code", "chat", "plan", "news"];

/** Text, some of which every copy of the trace has of its own. */
type Pieces = readonly (string | Blank)[];

export interface PlannedSpan {
  readonly name: string;
  /** By its place in the trace; null for the top. */
  readonly parent: number | null;
  readonly attributes: readonly (readonly [key: string, value: number | Pieces])[];
  readonly isFailed?: boolean;
}

/** A trace with blanks for what every copy has of its own. */
export interface TracePlan {
  readonly spans: readonly PlannedSpan[];
  readonly user: Blank;
  readonly session: Blank;
  readonly texts: readonly Blank[];
}

/** @param n Of the trace in its batch: applications, variants and outcomes differ from trace to trace. */
export function planTrace(load: LoadName, n: number, ending: (text: number) => string): TracePlan {
  const [user, session] = [blank(6), blank(8)];
  const texts: Blank[] = [];
  /** A text of its own, within the JSON of a value. */
  const text = (bytes: number): Pieces => {
    const made = blank(bytes);
    texts.push(made);
    return [made, ending(n * 100 + texts.length)];
  };
  const top = (question: Pieces, answer: Pieces): PlannedSpan => ({
    name: "invoke_workflow answer",
    parent: null,
    // One call of 25 goes wrong.
    isFailed: n === 7,
    attributes: [
      ["ag.span.kind", [load === "agent" ? "AGENT" : "WORKFLOW"]],
      ["ag.application", [APPLICATIONS[n % APPLICATIONS.length] as string]],
      ["ag.route", [`/answer-${n % 3}`]],
      ["ag.variant.name", [n % 4 === 0 ? "short-answers" : "default"]],
      ["ag.variant.revision", 1 + (n % 5)],
      ["ag.environment", [n % 5 === 0 ? "staging" : "production"]],
      ["ag.content.inputs", ['{"question":"', ...question, '"}']],
      ["ag.content.outputs", ['"', ...answer, '"']],
      ["user.id", ["user-", user]],
      ["session.id", ["session-", session]],
    ],
  });
  const spans = load === "mixed" ? mixedSpans(text, top) : agentSpans(text, top);
  return { spans, user, session, texts };
}

type MakeText = (bytes: number) => Pieces;
type MakeTop = (question: Pieces, answer: Pieces) => PlannedSpan;

/** A workflow of four steps, each with a model call, a tool and smaller work: 20 spans. */
function mixedSpans(text: MakeText, top: MakeTop): PlannedSpan[] {
  const spans: PlannedSpan[] = [top(text(600), text(900))];
  const system = message("system", text(700));
  for (let step = 0; step < 4; step++) {
    const first = spans.length;
    spans.push(small(`step ${step}`, 0));
    spans.push(small("render_prompt", first));
    spans.push(modelCall(first, step, [system, message("user", text(1300))], text(1000)));
    spans.push(tool(first, "search_documents", text(200), text(1350)));
    if (step < 3) spans.push(small("parse_answer", first));
  }
  return spans;
}

/** Ten model calls, each with all that was said before, and the tools that they call: 20 spans. */
function agentSpans(text: MakeText, top: MakeTop): PlannedSpan[] {
  const question = text(400);
  const history = [message("system", text(900)), message("user", question)];
  const spans: PlannedSpan[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const answer = text(350);
    spans.push(modelCall(0, turn, history, answer));
    history.push(message("assistant", answer));
    if (turn === 9) return [top(question, answer), ...spans];
    const result = text(940);
    spans.push(tool(0, "search_documents", text(120), result));
    history.push(message("tool", result));
  }
  return spans;
}

function message(role: string, content: Pieces): Pieces {
  return [`{"role":"${role}","parts":[{"type":"text","content":"`, ...content, '"}]}'];
}

function modelCall(
  parent: number,
  n: number,
  messages: readonly Pieces[],
  answer: Pieces,
): PlannedSpan {
  const asked = messages.flatMap((each, i) => (i === 0 ? each : [",", ...each]));
  return {
    name: "chat gpt-5-mini",
    parent,
    attributes: [
      ["gen_ai.operation.name", ["chat"]],
      ["gen_ai.provider.name", ["openai"]],
      ["gen_ai.request.model", ["gpt-5-mini"]],
      ["gen_ai.response.model", ["gpt-5-mini-2025-08-07"]],
      ["gen_ai.request.temperature", 0.7],
      ["gen_ai.request.max_tokens", 512],
      ["gen_ai.usage.input_tokens", 400 + n * 250],
      ["gen_ai.usage.output_tokens", 80 + n * 13],
      ["gen_ai.input.messages", ["[", ...asked, "]"]],
      ["gen_ai.output.messages", ["[", ...message("assistant", answer), "]"]],
      ["server.address", ["api.example.com"]],
    ],
  };
}

function tool(parent: number, name: string, query: Pieces, result: Pieces): PlannedSpan {
  return {
    name: `execute_tool ${name}`,
    parent,
    attributes: [
      ["openinference.span.kind", ["TOOL"]],
      ["tool.name", [name]],
      ["input.value", ['{"query":"', ...query, '"}']],
      ["input.mime_type", ["application/json"]],
      ["output.value", result],
    ],
  };
}

/** Work without content, as instrumented frameworks report it. */
function small(name: string, parent: number): PlannedSpan {
  return {
    name,
    parent,
    attributes: [
      ["ag.span.kind", ["TASK"]],
      ["code.function.name", [name]],
      ["thread.id", 1],
    ],
  };
}

function blank(bytes: number): Blank {
  return { bytes, places: [] };
}
