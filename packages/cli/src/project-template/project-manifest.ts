import { VERSION } from "@agate/platform/version";

/** Where npm gets Agate's own packages from: a version, a range, a path or an address. */
export interface PackageSpecs {
  readonly sdk: string;
  readonly cli: string;
}

/** The packages of this version: what the tool was tested with. */
export const OWN_SPECS: PackageSpecs = { sdk: VERSION, cli: VERSION };

/** The `package.json` of a new project. */
export function projectManifest(name: string, { sdk, cli }: PackageSpecs): object {
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=24" },
    scripts: {
      dev: "agate dev app.ts",
      start: "agate serve app.ts",
      test: "node --test",
      typecheck: "tsc",
      deploy: "agate deploy app.ts",
    },
    dependencies: { "@agate/sdk": sdk },
    devDependencies: {
      "@agate/cli": cli,
      "@types/node": "^24.0.0",
      typescript: "^7.0.0",
    },
  };
}
