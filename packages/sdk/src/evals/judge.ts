import { choiceList, isRecord, shownValue } from "@agate/protocol";
import { DeclarationError } from "../config/declaration-error.ts";
import { render } from "../config/render.ts";
import { askModel, type JudgeModel, modelName } from "./judge-model.ts";
import type { ScoreObject } from "./scorer-result.ts";
import type { Judged, ScorerCall } from "./scorer-types.ts";
import { askingModel, madeOf } from "./scorer-version.ts";

/** How a model judges. */
export interface JudgeOptions<Judges> {
  /** An AI SDK model, an OpenAI-compatible endpoint, or a function from prompt to answer. */
  readonly model: JudgeModel;
  /** The question: a text with `{{inputs}}`, `{{output}}` and `{{expected}}`, or a function. */
  readonly prompt: string | ((judged: Judges) => string);
  /** The answers that the model chooses from, and their values. Without them it answers a number. */
  readonly labels?: Readonly<Record<string, number>> | undefined;
  /** How often it is asked; the median counts, of an even number the lower one. 1 unless given. */
  readonly samples?: number | undefined;
}

interface Sample {
  readonly value: number;
  readonly label?: string;
  readonly explanation?: string;
}

const MOST_SAMPLES = 25;

/**
 * A scorer that asks a model. An answer that cannot be read makes the score `failed`, never a 0.
 *
 * @throws DeclarationError that says what to write.
 *
 * @example
 * helpful: judge({
 *   model: openai("gpt-5-mini"),
 *   prompt: "Does the answer solve the problem?\n\nProblem: {{inputs}}\n\nAnswer: {{output}}",
 *   labels: { yes: 1, partly: 0.5, no: 0 },
 *   samples: 3,
 * })
 */
export function judge<Judges extends Pick<Judged, "inputs" | "output" | "expected">>(
  options: JudgeOptions<Judges>,
): (judged: Judges, call: ScorerCall) => Promise<ScoreObject> {
  const { model, prompt, labels, samples = 1 } = options;
  const fault = optionsFault(labels, samples);
  if (fault !== null) throw new DeclarationError(`The judge: ${fault}`);
  const ask = async (judged: Judges, { signal }: ScorerCall): Promise<ScoreObject> => {
    const question = `${typeof prompt === "string" ? filledIn(prompt, judged) : prompt(judged)}\n\n${form(labels)}`;
    const answers = await Promise.all(
      Array.from({ length: samples }, () => askModel(model, question, signal)),
    );
    const read = answers.map((answer) => readSample(answer, labels));
    const median = read.toSorted((a, b) => a.value - b.value)[Math.floor((samples - 1) / 2)];
    if (median === undefined) throw new Error("The judge has no sample.");
    return samples === 1 ? median : { ...median, metadata: { samples: read } };
  };
  return askingModel(madeOf(ask, prompt, labels, samples, modelName(model)));
}

function optionsFault(labels: Readonly<Record<string, number>> | undefined, samples: number) {
  if (!Number.isInteger(samples) || samples < 1 || samples > MOST_SAMPLES) {
    return `samples must be a whole number from 1 to ${MOST_SAMPLES} (got ${shownValue(samples)}).`;
  }
  if (labels === undefined) return null;
  if (Object.keys(labels).length < 2)
    return "labels must be at least two, such as { yes: 1, no: 0 }.";
  const bad = Object.entries(labels).find(([, value]) => !(value >= 0 && value <= 1));
  return bad === undefined
    ? null
    : `the label ${shownValue(bad[0])} must have a value from 0 to 1 (got ${shownValue(bad[1])}).`;
}

function filledIn(
  prompt: string,
  { inputs, output, expected }: Pick<Judged, "inputs" | "output" | "expected">,
) {
  // The output of a route may be null; a prompt that does not ask for what is not there is fine.
  const shown = Object.entries({ inputs, output, expected }).map(
    ([name, value]) =>
      [name, typeof value === "string" ? value : (JSON.stringify(value) ?? "null")] as const,
  );
  return render(prompt, Object.fromEntries(shown));
}

function form(labels: Readonly<Record<string, number>> | undefined): string {
  const answer =
    labels === undefined
      ? '"value": <a number from 0, worst, to 1, best>'
      : `"label": <one of ${Object.keys(labels)
          .map((label) => JSON.stringify(label))
          .join(", ")}>`;
  return `Answer with nothing but JSON: {"explanation": "<why, in one or two sentences>", ${answer}}`;
}

function readSample(answer: string, labels: Readonly<Record<string, number>> | undefined): Sample {
  const said = jsonIn(answer);
  const explanation = typeof said.explanation === "string" ? { explanation: said.explanation } : {};
  if (labels === undefined) {
    const { value } = said;
    if (typeof value === "number" && value >= 0 && value <= 1) return { value, ...explanation };
    throw new Error(`The judge must answer with a value from 0 to 1 (got ${shownValue(value)}).`);
  }
  const { label } = said;
  const value =
    typeof label === "string" && Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (value === undefined) {
    throw new Error(
      `The judge must answer with ${choiceList(Object.keys(labels))} (got ${shownValue(label)}).`,
    );
  }
  return { value, label: label as string, ...explanation };
}

/** Models put words or a fence around their JSON. */
function jsonIn(answer: string): Readonly<Record<string, unknown>> {
  const text = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1);
  try {
    const said: unknown = JSON.parse(text);
    if (isRecord(said)) return said;
  } catch {
    // Told below, with what the model wrote instead.
  }
  throw new Error(`The judge must answer with JSON (got ${shownValue(answer)}).`);
}
