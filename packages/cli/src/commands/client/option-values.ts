import { InvalidArgumentError, Option } from "commander";
import { parseWholeNumber } from "../option-parsers.ts";

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
  if (at < 1) throw new InvalidArgumentError("Write it as name=value.");
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

/** `-m, --message`: why, for the history. */
export function messageOption(): Option {
  return new Option("-m, --message <text>", "why, for the history");
}

/** A part of a long list. */
export interface PageFlags {
  readonly limit: number;
  readonly cursor?: string;
}

export function limitOption(usual: number): Option {
  return new Option("--limit <number>", "how many at most")
    .argParser(parseWholeNumber)
    .default(usual);
}

export function cursorOption(): Option {
  return new Option("--cursor <cursor>", "go on where the list before this one ended");
}
