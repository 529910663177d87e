import type { Scope } from "@agate/protocol";
import { SCOPES } from "@agate/protocol";
import { API_KEY_NAME_RULE, isApiKeyName } from "../../../access/api-key-name.ts";
import type { BodyField } from "../../body/body-fields.ts";

const NAME: BodyField<string, true> = {
  isRequired: true,
  schema: {
    type: "string",
    minLength: 1,
    maxLength: 64,
    description: "What histories call whoever uses it.",
    examples: ["ci"],
  },
  parse: (value) =>
    typeof value === "string" && isApiKeyName(value)
      ? { kind: "value", value }
      : { kind: "wrong", takes: API_KEY_NAME_RULE },
};

const SCOPE_LIST: BodyField<readonly Scope[], true> = {
  isRequired: true,
  schema: {
    type: "array",
    items: { type: "string", enum: SCOPES },
    minItems: 1,
    uniqueItems: true,
    description:
      "What it may do. `admin` includes the others except `deploy` and `backup`, which only a caller that has them can give.",
    examples: [["ingest", "read"]],
  },
  parse: (value) => {
    const scopes = SCOPES.filter((scope) => Array.isArray(value) && value.includes(scope));
    return Array.isArray(value) && value.length > 0 && value.length === scopes.length
      ? { kind: "value", value: scopes }
      : { kind: "wrong", takes: `a list of ${SCOPES.join(", ")}: at least one, each once` };
  },
};

/** The body of a request for a new key. */
export const KEY_FIELDS = { name: NAME, scopes: SCOPE_LIST };
