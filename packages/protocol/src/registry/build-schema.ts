import { z } from "zod";
import { BUILD_STATUSES, type Build, type DeployResult } from "./build.ts";
import { BUILD_PERMISSIONS } from "./build-manifest.ts";
import { deploymentSchema } from "./deployment-schema.ts";

export const buildSchema: z.ZodType<Build> = z
  .strictObject({
    id: z.string(),
    number: z.int().positive().meta({ description: "1, 2, 3 … within its application." }),
    status: z.enum(BUILD_STATUSES).meta({
      description:
        "`starting`: being installed, started and checked. `live`: it serves. `retired`: it has served. `refused`: it never did.",
    }),
    created_by: z.string().meta({ description: "Name of the key, or `local`." }),
    created_at: z.iso.datetime(),
    routes: z
      .array(z.string())
      .nullable()
      .meta({ description: "The paths of its routes; null until it was live." }),
    size: z.int().nonnegative().meta({ description: "Bytes that were uploaded." }),
    sdk_version: z.string(),
    message: z.string(),
    allow: z.array(z.enum(BUILD_PERMISSIONS)).nullable().meta({
      description:
        "What its program may do beyond reading its own files and using the network. Null for a build from before there were restrictions: it runs without any until it is deployed again.",
    }),
    manifest_sha256: z.string().nullable().meta({
      description:
        "Of its manifest, which has the SHA-256 of every file: the files are compared with it before each start. Null for a build from before it was recorded.",
    }),
    refusal: z.string().nullable().meta({ description: "Why it was refused." }),
  })
  .meta({
    id: "Build",
    examples: [
      {
        id: "bld_q7m2c4nxw6brt2ak3v5z",
        number: 3,
        status: "live",
        created_by: "local",
        created_at: "2026-11-15T10:00:00.000Z",
        routes: ["/summarize"],
        size: 182_034,
        sdk_version: "0.1.0",
        message: "Shorter answers",
        allow: [],
        manifest_sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        refusal: null,
      },
    ],
  });

export const deployResultSchema: z.ZodType<DeployResult> = z
  .strictObject({
    application: z.strictObject({ id: z.string(), slug: z.string() }),
    build: buildSchema,
    deployment: deploymentSchema
      .nullable()
      .meta({ description: "Null where only code was deployed." }),
  })
  .meta({ id: "DeployResult" });
