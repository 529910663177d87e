import { z } from "zod";
import type { ErrorBody, ErrorDetail } from "./error-body.ts";

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
