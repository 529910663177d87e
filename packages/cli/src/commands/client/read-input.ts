import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { CommandFailure } from "./failures.ts";

/** The JSON in a file, or in standard input for `-`. */
export async function readJsonInput(source: string): Promise<unknown> {
  const name = source === "-" ? "Standard input" : source;
  const content = await readInput(source);
  try {
    return JSON.parse(content.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new CommandFailure(`${name} is not JSON: ${(error as Error).message}.`);
  }
}

async function readInput(source: string): Promise<string> {
  if (source === "-") return await text(process.stdin);
  try {
    return await readFile(source, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === "ENOENT" ? "there is no such file" : code;
    throw new CommandFailure(`${source} cannot be read: ${reason}.`);
  }
}

/** The JSON object in a file or standard input. */
export async function readObjectInput(source: string): Promise<Record<string, unknown>> {
  const value = await readJsonInput(source);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const name = source === "-" ? "Standard input" : source;
    throw new CommandFailure(`${name} must hold a JSON object, such as {"text": "hello"}.`);
  }
  return value as Record<string, unknown>;
}
