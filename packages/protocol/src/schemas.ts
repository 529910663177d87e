export { errorBodySchema, errorDetailSchema } from "./error-body-schema.ts";
export { buildManifestSchema } from "./registry/build-manifest-schema.ts";
export {
  contentSchema,
  figuresSchema,
  listedSpanSchema,
  metadataSchema,
  spanRecordSchema,
  variantSchema,
} from "./span-record-schema.ts";
export { usageSchema } from "./usage-schema.ts";
