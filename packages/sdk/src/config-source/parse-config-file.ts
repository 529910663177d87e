import { closestName, type ResolvedConfig, shownValue } from "@agate/protocol";
import { jsonFault } from "@agate/protocol/json-fault";

/** What `agate.config.json` says: see `docs/reference/config-file.md`. */
export interface ConfigFile {
  /** Null: it is for whichever application reads it. */
  readonly application: string | null;
  readonly variants: ReadonlyMap<string, ResolvedConfig["params"]>;
  /** Environment to variant. */
  readonly environments: ReadonlyMap<string, string>;
}

export type ParsedConfigFile =
  | { readonly kind: "parsed"; readonly file: ConfigFile }
  /** `problem` is a sentence that says where, and what to write. */
  | { readonly kind: "broken"; readonly problem: string };

type Json = Readonly<Record<string, unknown>>;

export function parseConfigFile(source: string): ParsedConfigFile {
  // Some editors begin a file with a byte order mark.
  const text = source.startsWith("\ufeff") ? source.slice(1) : source;
  const fault = jsonFault(text);
  if (fault !== null) {
    const problem = `Line ${fault.line}, column ${fault.column}: ${fault.problem}`;
    return { kind: "broken", problem };
  }
  try {
    return { kind: "parsed", file: fileOf(JSON.parse(text)) };
  } catch (error) {
    if (error instanceof Broken) return { kind: "broken", problem: error.message };
    throw error;
  }
}

class Broken extends Error {}

function fileOf(json: unknown): ConfigFile {
  const root = objectAt(json, "The file", '{ "variants": { … }, "environments": { … } }');
  checkKeys(root, "the file", ["$schema", "application", "variants", "environments"]);
  const variants = new Map(
    Object.entries(
      objectAt(root.variants, '"variants"', '{ "default": { "/": { "temperature": 0.2 } } }'),
    ).map(([name, params]) => [name, paramsAt(params, `"variants".${JSON.stringify(name)}`)]),
  );
  const environments = new Map(
    Object.entries(
      objectAt(root.environments ?? {}, '"environments"', '{ "production": "default" }'),
    ).map(([name, value]) => [name, variantAt(value, name, variants)]),
  );
  return { application: applicationOf(root.application), variants, environments };
}

function applicationOf(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === "string" && value !== "") return value;
  throw new Broken(
    `"application" is ${shownValue(value)}. Write the name of the application, or leave it out.`,
  );
}

function paramsAt(value: unknown, where: string): ResolvedConfig["params"] {
  const params = objectAt(value, where, '{ "/summarize": { "temperature": 0.2 } }');
  for (const [route, config] of Object.entries(params)) {
    if (!route.startsWith("/")) {
      throw new Broken(
        `${where} has ${JSON.stringify(route)}, which is not the path of a route. Write "/${route}": { … }; the entrypoint is "/".`,
      );
    }
    objectAt(config, `${where}.${JSON.stringify(route)}`, '{ "temperature": 0.2 }');
  }
  return params as ResolvedConfig["params"];
}

function variantAt(
  value: unknown,
  environment: string,
  variants: ReadonlyMap<string, unknown>,
): string {
  const where = `"environments".${JSON.stringify(environment)}`;
  const name = typeof value === "string" ? value : namedVariant(value, where);
  if (variants.has(name)) return name;
  const known = [...variants.keys()].map((variant) => JSON.stringify(variant)).join(", ");
  throw new Broken(
    `${where} names the variant ${JSON.stringify(name)}, which "variants" does not have. ${known === "" ? "Add it there." : `It has ${known}.`}`,
  );
}

function namedVariant(value: unknown, where: string): string {
  const object = objectAt(value, where, '"default", the name of a variant,');
  checkKeys(object, where, ["variant"]);
  if (typeof object.variant === "string") return object.variant;
  throw new Broken(`${where}."variant" is ${shown(object.variant)}. Write the name of a variant.`);
}

function checkKeys(object: Json, where: string, known: readonly string[]): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue;
    const meant = closestName(key, known);
    const names = known.filter((name) => name !== "$schema").map((name) => `"${name}"`);
    throw new Broken(
      `${JSON.stringify(key)} means nothing in ${where}. ${meant === undefined ? `It takes ${names.join(", ")}.` : `Write "${meant}".`}`,
    );
  }
}

function objectAt(value: unknown, where: string, example: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new Broken(`${where} is ${shown(value)}. Write ${example} there.`);
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : shownValue(value);
}
