import { z } from "zod";
import { SCOPES, type Scope } from "./access.ts";

/** A key without its secret, which is shown once and never stored. */
export interface ApiKey {
  readonly id: string;
  /** The beginning of the key, to recognise it by. */
  readonly prefix: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** What it is limited to: `staging`, or `support/staging` of one application; null: no limit. */
  readonly environments: readonly string[] | null;
  readonly created_at: string;
  /** To the minute; null while it was never used. */
  readonly last_used_at: string | null;
}

/** The answer to creating a key. */
export interface CreatedApiKey extends ApiKey {
  /** The whole key. It is never shown again. */
  readonly key: string;
}

const fields = {
  id: z.string(),
  prefix: z.string().meta({ description: "How the key begins." }),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  environments: z.array(z.string()).nullable().meta({
    description:
      "The environments that it is limited to: `staging`, or `support/staging` of one application. Null: no limit.",
  }),
  created_at: z.iso.datetime(),
  last_used_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: "To the minute; null while it was never used." }),
};

const example = {
  id: "key_k3v5zq7m2c4nxw6brt2a",
  prefix: "ag_4fT9xQ2b",
  name: "ci",
  scopes: ["ingest" as const, "read" as const],
  environments: null,
  created_at: "2026-11-15T10:00:00.000Z",
  last_used_at: null,
};

export const apiKeySchema: z.ZodType<ApiKey> = z
  .strictObject(fields)
  .meta({ id: "ApiKey", examples: [example] });

export const createdApiKeySchema: z.ZodType<CreatedApiKey> = z
  .strictObject({
    ...fields,
    key: z.string().meta({ description: "The whole key. It is never shown again." }),
  })
  .meta({
    id: "CreatedApiKey",
    examples: [{ ...example, key: "ag_4fT9xQ2b_9hYcW3mNq8RzKd5vLt7XbGf2PjSw6AeU" }],
  });
