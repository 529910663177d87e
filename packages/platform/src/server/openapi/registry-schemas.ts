import {
  applicationSchema,
  deploymentSchema,
  environmentSchema,
  listedRevisionSchema,
  registryVariantSchema,
} from "@agate/protocol/schemas";
import { z } from "zod";

// The lists that the registry answers with; what is in them is in @agate/protocol.

const nextCursor = z.string().nullable().meta({ description: "Null on the last page." });

export const applicationListSchema = z
  .strictObject({ items: z.array(applicationSchema) })
  .meta({ id: "ApplicationList" });

export const variantListSchema = z
  .strictObject({ items: z.array(registryVariantSchema) })
  .meta({ id: "VariantList" });

export const revisionListSchema = z
  .strictObject({ items: z.array(listedRevisionSchema), next_cursor: nextCursor })
  .meta({ id: "RevisionList" });

export const environmentListSchema = z
  .strictObject({ items: z.array(environmentSchema) })
  .meta({ id: "EnvironmentList" });

export const deploymentListSchema = z
  .strictObject({ items: z.array(deploymentSchema), next_cursor: nextCursor })
  .meta({ id: "DeploymentList" });
