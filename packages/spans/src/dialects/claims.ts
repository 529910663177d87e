import { agate } from "./agate.ts";
import { agenta } from "./agenta.ts";
import { aiSdk } from "./ai-sdk.ts";
import { braintrust } from "./braintrust.ts";
import type { Claim, Dialect, NumberField, TextField } from "./dialect.ts";
import { genAi } from "./gen-ai.ts";
import { genkit } from "./genkit.ts";
import { quoted } from "./json-text.ts";
import { langSmith } from "./lang-smith.ts";
import { langfuse } from "./langfuse.ts";
import { mastra } from "./mastra.ts";
import { mlflow } from "./mlflow.ts";
import { openInference } from "./open-inference.ts";
import { openLit } from "./open-lit.ts";
import { openLlmetry } from "./open-llmetry.ts";
import { pydanticAi } from "./pydantic-ai.ts";

/** Every dialect, the one that is believed most first. */
export const DIALECTS: readonly Dialect[] = [
  agate,
  openInference,
  // Its agents have instructions and tools in GenAI's names, and what they were asked in their own.
  mastra,
  // Their agents and functions have a part of their content in GenAI's names, LangSmith a wrong kind.
  pydanticAi,
  openLit,
  langSmith,
  genAi,
  openLlmetry,
  langfuse,
  aiSdk,
  genkit,
  agenta,
  mlflow,
  braintrust,
];

// Ranks count up by dialect, then by position in the dialect's own list.
const RANKS_PER_DIALECT = 100;

/** The best rank that is not of Agate's own attributes. */
export const FIRST_FOREIGN_RANK = RANKS_PER_DIALECT;

// An index with more digits is no index, and a path with more steps no message.
const INDEX = /^(?:0|[1-9]\d{0,8})$/;
const LONGEST_PATH = 32;

interface Claims {
  readonly named: ReadonlyMap<string, Claim>;
  readonly prefixed: readonly { readonly prefix: string; claim(rest: string): Claim | null }[];
}

const CLAIMS = collectClaims();

/** What an attribute of this name is for; null when no dialect knows it. */
export function claimOf(name: string): Claim | null {
  const claim = CLAIMS.named.get(name);
  if (claim !== undefined) return claim;
  for (const { prefix, claim } of CLAIMS.prefixed) {
    const found = name.startsWith(prefix) ? claim(name.slice(prefix.length)) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Where values of a dialect's JSON figures rank. */
export function rankOfDialect(dialect: number): number {
  return dialect * RANKS_PER_DIALECT;
}

function collectClaims(): Claims {
  const named = new Map<string, Claim>();
  const prefixed: { prefix: string; claim(rest: string): Claim | null }[] = [];
  // The dialect that is believed more keeps a name that two know.
  const add = (name: string, claim: Claim) => {
    if (!named.has(name)) named.set(name, claim);
  };

  for (const [index, dialect] of DIALECTS.entries()) {
    const base = rankOfDialect(index);
    for (const [field, names] of Object.entries(dialect.text ?? {})) {
      for (const [position, name] of names.entries()) {
        add(name, { use: "text", field: field as TextField, rank: base + position });
      }
    }
    for (const [field, names] of Object.entries(dialect.numbers ?? {})) {
      for (const [position, name] of names.entries()) {
        add(name, { use: "number", field: field as NumberField, rank: base + position });
      }
    }
    for (const [position, { name, kindOf }] of [dialect.kind ?? []].flat().entries()) {
      add(name, { use: "kind", rank: base + position, kindOf });
    }
    for (const [name, parameter] of Object.entries(dialect.parameters ?? {})) {
      add(name, parameterClaim(parameter, base));
    }
    for (const name of dialect.parameterObjects ?? []) {
      add(name, { use: "parameters", rank: base });
    }
    for (const name of dialect.contentNames ?? []) add(name, { use: "content", dialect: index });
    for (const name of dialect.figureNames ?? []) add(name, { use: "figures", dialect: index });
    if (dialect.contentPattern !== undefined) {
      const { prefix, rest: form } = dialect.contentPattern;
      const claim = { use: "content", dialect: index } as const;
      prefixed.push({ prefix, claim: (rest) => (form.test(rest) ? claim : null) });
    }
    for (const prefix of dialect.parameterPrefixes ?? []) {
      prefixed.push({ prefix, claim: (parameter) => parameterClaim(parameter, base) });
    }
    for (const group of dialect.trees ?? []) {
      prefixed.push({
        prefix: `${group}.`,
        claim(rest) {
          const path = rest.split(".", LONGEST_PATH + 1);
          return path.length > LONGEST_PATH
            ? null
            : { use: "indexed", dialect: index, group, path };
        },
      });
    }
    for (const group of dialect.groups ?? []) {
      prefixed.push({
        prefix: `${group}.`,
        claim(rest) {
          const path = rest.split(".", LONGEST_PATH + 1);
          if (path.length > LONGEST_PATH || !INDEX.test(path[0] ?? "")) return null;
          return { use: "indexed", dialect: index, group, path };
        },
      });
    }
  }
  return { named, prefixed };
}

function parameterClaim(parameter: string, rank: number): Claim {
  return { use: "parameter", key: `${quoted(parameter)}:`, rank };
}
