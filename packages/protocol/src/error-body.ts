import { z } from "zod";

/** One fault of a request. */
export interface ErrorDetail {
  /** Path to the faulty part: `["query", "limit"]`; empty for a fault of the whole request. */
  loc: (string | number)[];
  /** A sentence for people. */
  msg: string;
  /** For programs: a stable code. */
  type: string;
}

/** Contract 2.3: the body of every 4xx and 5xx answer. */
export interface ErrorBody {
  detail: ErrorDetail[];
}

export const errorDetailSchema: z.ZodType<ErrorDetail> = z
  .strictObject({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ id: "ErrorDetail" });

/** Contract 2.3: the body of every 4xx and 5xx answer of the platform. */
export const errorBodySchema: z.ZodType<ErrorBody> = z
  .strictObject({ detail: z.array(errorDetailSchema) })
  .meta({ id: "ErrorBody" });
