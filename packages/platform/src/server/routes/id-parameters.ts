import type { Problem } from "../errors/error-answer.ts";
import { quoted } from "../query/parameter-kinds.ts";
import type { PathParameterDoc } from "./route.ts";

const ID_SCHEMA = { type: "string", pattern: "^[A-Za-z0-9_-]{1,128}$" } as const;

export const TRACE_ID_PARAMETER: PathParameterDoc = {
  description: "32 hex digits, in either case, or the same as a dashed UUID.",
  schema: { ...ID_SCHEMA, examples: ["5b8efff798038103d269b633813fc60c"] },
};

export const SPAN_ID_PARAMETER: PathParameterDoc = {
  description: "16 hex digits, in either case.",
  schema: { ...ID_SCHEMA, examples: ["eee19b7ec3c1b174"] },
};

/** A text in the path that cannot be an id. */
export function badId(parameter: "trace_id" | "span_id", text: string): Problem {
  return {
    type: "id_invalid",
    loc: ["path", parameter],
    msg: `An id is 1 to 128 characters from A-Z, a-z, 0-9, _ and -, not ${quoted(text)}.`,
  };
}
