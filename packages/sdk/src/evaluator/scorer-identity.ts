import { configuredVersion, type ScorerIdentity } from "@agate/protocol/evaluator";
import { configJsonSchema } from "../config/config-json-schema.ts";
import { scorerConfig } from "../evals/scorer.ts";
import { scorerCode, scorerKind } from "../evals/scorer-version.ts";

/** What a runner is told of a scorer: its version with its defaults, and how it can be configured. */
export async function scorerIdentity(name: string, scorer: object): Promise<ScorerIdentity> {
  const code = await scorerCode(scorer);
  const kind = scorerKind(scorer);
  const schema = scorerConfig(scorer);
  if (schema === undefined) return { name, version: code, kind };
  const { scorerName } = scorer as { readonly scorerName: string };
  const { defaults } = schema;
  const { properties: fields } = configJsonSchema(schema);
  const version = configuredVersion({ code, defaults });
  return { name, version, kind, config: { name: scorerName, code, fields, defaults } };
}
