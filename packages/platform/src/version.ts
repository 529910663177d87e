import manifest from "../package.json" with { type: "json" };

/** The platform's version, as `agate-version` and `info.version` show it. */
export const VERSION: string = manifest.version;
