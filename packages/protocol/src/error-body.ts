import { z } from "zod";

export const errorDetailSchema = z
  .strictObject({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ id: "ErrorDetail" });

/** Contract 2.3: the body of every 4xx and 5xx answer of the platform. */
export const errorBodySchema = z
  .strictObject({ detail: z.array(errorDetailSchema) })
  .meta({ id: "ErrorBody" });

export type ErrorDetail = z.infer<typeof errorDetailSchema>;
export type ErrorBody = z.infer<typeof errorBodySchema>;
