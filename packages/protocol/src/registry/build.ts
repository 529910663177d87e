import { z } from "zod";
import type { ErrorDetail } from "../error-body.ts";
import type { BuildPermission } from "./build-manifest.ts";
import { BUILD_PERMISSIONS } from "./build-manifest.ts";
import type { BuildKind, Deployment } from "./environment.ts";
import { BUILD_KINDS, deploymentSchema, missingVariablesSchema } from "./environment.ts";

/**
 * `starting`: being installed, started and checked. `live`: it serves. `retired`: it has served, or
 * was ready and another came first. `refused`: it never served; `refusal` says why.
 */
const BUILD_STATUSES = ["starting", "live", "retired", "refused"] as const;
export type BuildStatus = (typeof BUILD_STATUSES)[number];

/** The code of an application as it was deployed once. The same archive is the same build. */
export interface Build {
  readonly id: string;
  /** 1, 2, 3 … within its application. */
  readonly number: number;
  readonly kind: BuildKind;
  readonly status: BuildStatus;
  /** The slugs of the environments that it is live in. */
  readonly environments: readonly string[];
  readonly created_by: string;
  readonly created_at: string;
  /** The routes that it serves; null until it has answered. */
  readonly routes: readonly string[] | null;
  /** Bytes that were uploaded. */
  readonly size: number;
  readonly sdk_version: string;
  readonly message: string;
  /** The git commit that it was packed from; null where that is not known. */
  readonly commit: string | null;
  /** What its program may do beyond the default; null for a build that runs without restrictions. */
  readonly allow: readonly BuildPermission[] | null;
  /** Hex of the SHA-256 of its archive; null for builds from before, and for those that run elsewhere. */
  readonly archive_sha256: string | null;
  /** Hex of the SHA-256 of its manifest, which has those of its files; null for builds from before. */
  readonly manifest_sha256: string | null;
  readonly refusal: string | null;
}

/** The steps of a deploy, in their order. */
export type DeployStep = "unpack" | "install" | "start" | "check" | "switch" | "drain";

/** The server-sent events of a deploy, by name. */
export interface DeployEvents {
  /** `detail` is for people: "cached", "1.2 s". */
  step: { readonly step: DeployStep; readonly state: "begun" | "done"; readonly detail: string };
  /** The last event of a successful deploy. */
  deployed: DeployResult;
  /** The last event of a failed deploy: the status and body that the same request without events gets. */
  refused: {
    readonly status: number;
    readonly detail: readonly ErrorDetail[];
    /** The last lines that the build printed, oldest first. */
    readonly log: readonly string[];
  };
}

export interface DeployResult {
  readonly application: { readonly id: string; readonly slug: string };
  readonly build: Build;
  readonly deployment: Deployment;
  /** What the build makes of the revision beyond taking its values. */
  readonly notes: readonly ConfigNote[];
  /** Of a promotion: names of variables that the source has and the target lacks. */
  readonly missing_variables: readonly string[];
}

/** Told with a deploy, although nothing is wrong. */
export type ConfigNote =
  /** The revision sets it, and the build has no such field or, where it is null, no such route. */
  | { readonly kind: "ignored"; readonly route: string; readonly field: string | null }
  /** The revision does not set it: the code's default counts. */
  | {
      readonly kind: "default";
      readonly route: string;
      readonly field: string;
      readonly value: unknown;
    };

export const buildSchema: z.ZodType<Build> = z
  .strictObject({
    id: z.string(),
    number: z.int().positive().meta({ description: "1, 2, 3 … within its application." }),
    kind: z.enum(BUILD_KINDS).meta({
      description: "`hosted`: the platform runs it. `external`: it runs elsewhere.",
    }),
    status: z.enum(BUILD_STATUSES).meta({
      description:
        "`starting`: being installed, started and checked. `live`: it serves. `retired`: it has served. `refused`: it never did.",
    }),
    environments: z.array(z.string()).meta({ description: "Where it is live." }),
    created_by: z.string().meta({ description: "Name of the key, or `local`." }),
    created_at: z.iso.datetime(),
    routes: z
      .array(z.string())
      .nullable()
      .meta({ description: "The paths of its routes; null until it was live." }),
    size: z.int().nonnegative().meta({ description: "Bytes that were uploaded." }),
    sdk_version: z.string(),
    message: z.string(),
    commit: z.string().nullable().meta({ description: "The git commit that it was packed from." }),
    allow: z.array(z.enum(BUILD_PERMISSIONS)).nullable().meta({
      description:
        "What its program may do beyond reading its own files and using the network. Null for a build from before there were restrictions: it runs without any until it is deployed again.",
    }),
    archive_sha256: z.string().nullable().meta({
      description: "Of its archive: the same archive is the same build. Null where there is none.",
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
        kind: "hosted",
        status: "live",
        environments: ["staging", "production"],
        created_by: "local",
        created_at: "2026-11-15T10:00:00.000Z",
        routes: ["/summarize"],
        size: 182_034,
        sdk_version: "0.1.0",
        message: "Shorter answers",
        commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
        allow: [],
        archive_sha256: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
        manifest_sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        refusal: null,
      },
    ],
  });

const configNoteSchema: z.ZodType<ConfigNote> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("ignored"),
    route: z.string(),
    field: z.string().nullable().meta({ description: "Null where the route itself is unknown." }),
  }),
  z.strictObject({
    kind: z.literal("default"),
    route: z.string(),
    field: z.string(),
    value: z.unknown(),
  }),
]);

export const deployResultSchema: z.ZodType<DeployResult> = z
  .strictObject({
    application: z.strictObject({ id: z.string(), slug: z.string() }),
    build: buildSchema,
    deployment: deploymentSchema,
    notes: z.array(configNoteSchema).meta({
      description: "What the build makes of the revision beyond taking its values.",
    }),
    missing_variables: missingVariablesSchema,
  })
  .meta({ id: "DeployResult" });
