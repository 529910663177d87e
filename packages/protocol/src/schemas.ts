export { errorBodySchema, errorDetailSchema } from "./error-body.ts";
export {
  contentSchema,
  figuresSchema,
  listedSpanSchema,
  metadataSchema,
  spanRecordSchema,
  variantSchema,
} from "./span-record.ts";
export { usageSchema } from "./usage.ts";
