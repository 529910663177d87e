import { z } from "zod";
import {
  BUILD_FORMAT,
  BUILD_MANIFEST_FILE,
  BUILD_PERMISSIONS,
  type BuildFile,
  type BuildInstall,
  type BuildManifest,
} from "./build-manifest.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Cannot lead out of the build's folder on any system, and holds no invisible characters. */
const path = z
  .string()
  .min(1)
  .max(1024)
  .refine(
    (text) =>
      !/[\\\p{Cc}]|^[a-z]:/iu.test(text) &&
      text.split("/").every((segment) => segment !== "" && segment !== "." && segment !== ".."),
    "must be a relative path with /, without . and ..",
  );

const fileSchema: z.ZodType<BuildFile> = z.strictObject({
  path,
  size: z.int().nonnegative(),
  sha256,
});

const installSchema: z.ZodType<BuildInstall> = z.strictObject({
  package_manager: z.literal("npm"),
  lock_hash: sha256,
});

/** Validates the manifest of an uploaded build. */
export const buildManifestSchema: z.ZodType<BuildManifest> = z
  .strictObject({
    format: z.literal(BUILD_FORMAT),
    application: z.string().min(1).max(64),
    entry: path,
    evals: path.optional(),
    sdk_version: z.string().min(1).max(64),
    node: z.string().min(1).max(200),
    install: installSchema.nullable(),
    allow: z.array(z.enum(BUILD_PERMISSIONS)).max(BUILD_PERMISSIONS.length).optional(),
    files: z.array(fileSchema),
  })
  .superRefine(({ entry, evals, install, allow, files }, context) => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const refuse = (at: string, message: string): void =>
      context.addIssue({ code: "custom", path: [at], message });
    if (new Set(allow).size !== (allow ?? []).length) refuse("allow", "names a permission twice");
    if (byPath.size !== files.length) refuse("files", "names a file twice");
    if (byPath.has(BUILD_MANIFEST_FILE)) refuse("files", "names the manifest itself");
    if (!byPath.has(entry)) refuse("entry", "is not among the files");
    if (evals !== undefined && !byPath.has(evals)) refuse("evals", "is not among the files");
    if (install === null) return;
    if (!byPath.has("package.json"))
      refuse("files", "lacks package.json, which is to be installed");
    if (byPath.get("package-lock.json")?.sha256 !== install.lock_hash) {
      refuse("install", "has another lock_hash than package-lock.json");
    }
  });
