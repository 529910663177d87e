import type { SpanKind } from "@agate/protocol";
import type { Attributes } from "../otlp-span.ts";
import { CONTENT_ATTRIBUTES } from "./content-attributes.ts";
import type { Dialect, DialectFigures, NumberField } from "./dialect.ts";
import { kindNamed } from "./dialect.ts";
import { parsedObject } from "./json-text.ts";
import { showsAll, tokensIn } from "./langfuse-usage.ts";

const USAGE = "langfuse.observation.usage_details";
const COST = "langfuse.observation.cost_details";

/** Langfuse's SDKs. */
export const langfuse: Dialect = {
  name: "Langfuse",
  kind: { name: "langfuse.observation.type", kindOf },
  text: {
    responseModel: ["langfuse.observation.model.name"],
    userId: ["langfuse.user.id"],
    sessionId: ["langfuse.session.id"],
    environment: ["langfuse.environment"],
    statusMessage: ["langfuse.observation.status_message"],
  },
  parameterObjects: ["langfuse.observation.model.parameters"],
  contentNames: CONTENT_ATTRIBUTES.langfuse.names,
  content(attributes, draft) {
    draft.take("inputs", attributes, "langfuse.observation.input", "sniff");
    draft.take("outputs", attributes, "langfuse.observation.output", "sniff");
    draft.take("inputs", attributes, "langfuse.trace.input", "sniff");
    draft.take("outputs", attributes, "langfuse.trace.output", "sniff");
  },
  figureNames: [USAGE, COST],
  figures,
};

function kindOf(type: string, isRoot: boolean): SpanKind | null {
  if (type === "span") return isRoot ? "WORKFLOW" : "TASK";
  return type === "generation" ? "LLM" : kindNamed(type);
}

function figures(attributes: Attributes): DialectFigures {
  const numbers: Partial<Record<NumberField, number>> = {};
  const fullyRead: string[] = [];

  const usage = parsedObject(attributes.get(USAGE) ?? null);
  if (usage !== null) {
    Object.assign(numbers, tokensIn(usage));
    if (showsAll(numbers, usage)) fullyRead.push(USAGE);
  }

  const costs = entries(attributes, COST);
  const total = costs.find(([name]) => name === "total")?.[1] ?? null;
  const cost = total ?? sum(costs);
  if (cost !== null) numbers.cost = cost;
  if (total !== null && costs.length === 1) fullyRead.push(COST);

  return { numbers, fullyRead };
}

type Entry = readonly [name: string, figure: number | null];

function entries(attributes: Attributes, name: string): readonly Entry[] {
  const figures = parsedObject(attributes.get(name) ?? null);
  if (figures === null) return [];
  return Object.entries(figures).map(([key, figure]) => [key, isFigure(figure) ? figure : null]);
}

function isFigure(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function sum(costs: readonly Entry[]): number | null {
  const known = costs.flatMap(([, cost]) => (cost === null ? [] : [cost]));
  return known.length === 0 ? null : known.reduce((all, cost) => all + cost, 0);
}
