import { apiKeySchema, projectSchema } from "@agate/protocol/schemas";
import { z } from "zod";

export const projectListSchema = z
  .strictObject({ items: z.array(projectSchema) })
  .meta({ id: "ProjectList" });

export const apiKeyListSchema = z
  .strictObject({ items: z.array(apiKeySchema) })
  .meta({ id: "ApiKeyList" });
