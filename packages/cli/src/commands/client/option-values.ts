import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { InvalidArgumentError, Option } from "commander";
import type { CommandProcess } from "../command-process.ts";
import { CommandFailure } from "./failures.ts";

/** One `name=value`, the value parsed as JSON, else taken as text. */
export interface Assignment {
  readonly name: string;
  readonly value: unknown;
}

/** For options that may be given several times: adds `name=value` to those before. */
export function collectAssignments(
  text: string,
  before: readonly Assignment[] = [],
): readonly Assignment[] {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Must be name=value.");
  return [...before, { name: text.slice(0, at), value: parseValue(text.slice(at + 1)) }];
}

/** @example parseValue("0.5") // 0.5; parseValue("calm") // "calm"; parseValue('"0.5"') // "0.5" */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** A name that is data, `__proto__` included, so made without an object literal. */
export function toObject(assignments: readonly Assignment[]): Record<string, unknown> {
  return Object.fromEntries(assignments.map(({ name, value }) => [name, value]));
}

/** `-m, --message`: reason, shown in the history. */
export function messageOption(): Option {
  return new Option("-m, --message <text>", "reason, shown in the history");
}

/** The JSON in a file, or in standard input for `-`. */
export async function readJsonInput(
  source: string,
  { stdin }: Pick<CommandProcess, "stdin">,
): Promise<unknown> {
  const name = source === "-" ? "Standard input" : source;
  const content = await readInput(source, stdin);
  try {
    return JSON.parse(content.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new CommandFailure(`${name} is not JSON: ${(error as Error).message}.`);
  }
}

/** The text of a file, or of standard input for `-`. */
export async function readInput(source: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (source === "-") return await text(stdin);
  try {
    return await readFile(source, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === "ENOENT" ? "file not found" : code;
    throw new CommandFailure(`${source} cannot be read: ${reason}.`);
  }
}

/** The JSON object in a file or standard input. */
export async function readObjectInput(
  source: string,
  ownProcess: Pick<CommandProcess, "stdin">,
): Promise<Record<string, unknown>> {
  const value = await readJsonInput(source, ownProcess);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const name = source === "-" ? "Standard input" : source;
    throw new CommandFailure(`${name} must hold a JSON object, such as {"text": "hello"}.`);
  }
  return value as Record<string, unknown>;
}
