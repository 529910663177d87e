import { environment } from "../runtime/environment.ts";
import type { FileConfigSourceOptions } from "./config-file-reader.ts";
import type { ConfigSource } from "./config-source.ts";
import { LateConfigSource } from "./late-config-source.ts";

const USUAL_PLACE = "agate.config.json";

/**
 * Reads configurations from a file, for an app without a platform: see `docs/reference/config-file.md`.
 * Without a path it is `AGATE_CONFIG_FILE`, or else `agate.config.json` in the working directory.
 *
 * @example
 * const source = fileConfigSource("configs/support.json");
 */
export function fileConfigSource(
  path: string = environment("AGATE_CONFIG_FILE") ?? USUAL_PLACE,
  options: FileConfigSourceOptions = {},
): ConfigSource {
  return new LateConfigSource(async () => {
    const { ConfigFileReader } = await import("./config-file-reader.ts");
    return () => new ConfigFileReader(path, options);
  });
}
