import { readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { packageFolder } from "./third-party-licences.ts";

const ROOT = join(import.meta.dirname, "..");

/** Name in dist; the ending is CycloneDX's. */
export const BILL_FILE = "sbom.cdx.json";

export interface BillOptions {
  /** Of the package that is built. */
  readonly folder: string;
  /** The bundled files, absolute or relative to `folder`. */
  readonly inputs: readonly string[];
  /** Names of packages that are installed beside it. */
  readonly external: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * The packages that went into a build, and those that come with it, as CycloneDX JSON. Without a time
 * or a serial number: the same sources make the same bytes.
 */
export async function billOfMaterials(options: BillOptions): Promise<string> {
  const { folder, inputs, external } = options;
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { readonly integrity?: string } | undefined>;
  };
  const bundled = inputs.map((input) => packageFolder(resolve(folder, input)));
  const installed = external.map((name) => join(ROOT, "node_modules", name));
  const folders = new Set([...bundled, ...installed].filter((path) => path !== null));
  const components = await Promise.all(
    [...folders].map(async (path) => {
      const lockKey = relative(ROOT, path).split(sep).join("/");
      return component(await manifestOf(path), packages[lockKey]?.integrity);
    }),
  );
  const unique = new Map(components.map((each) => [each.purl, each]));
  const sorted = [...unique.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const own = await manifestOf(folder);
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { ...component(own, undefined), type: "application" } },
    components: sorted,
    dependencies: [{ ref: purlOf(own), dependsOn: sorted.map(({ purl }) => purl) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

function component(manifest: Manifest, integrity: string | undefined) {
  const { name, version, license } = manifest;
  const purl = purlOf(manifest);
  const [, sha512] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(sha512 !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }],
    }),
  };
}

function purlOf({ name, version }: Manifest): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
