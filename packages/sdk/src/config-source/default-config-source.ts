import { environment, setting } from "../runtime/environment.ts";
import type { ConfigSource } from "./config-source.ts";
import { fileConfigSource } from "./file-config-source.ts";
import { httpConfigSource } from "./http-config-source.ts";
import type { HttpConfigSourceOptions } from "./registry-config-source.ts";

export type DefaultConfigSourceOptions = Partial<HttpConfigSourceOptions>;

/**
 * The configuration source of an app that is given none: the file that `AGATE_CONFIG_FILE` names, else
 * the platform at `AGATE_BASE_URL`, else `agate.config.json` in the working directory.
 *
 * @example
 * const source = defaultConfigSource({ onWarning: console.warn });
 * @throws TypeError for a base URL or a key that cannot be one.
 */
export function defaultConfigSource(options: DefaultConfigSourceOptions = {}): ConfigSource {
  const { baseUrl: givenUrl, apiKey: givenKey, ...others } = options;
  const baseUrl = setting(givenUrl, "AGATE_BASE_URL");
  const apiKey = setting(givenKey, "AGATE_API_KEY");
  if (baseUrl === undefined || environment("AGATE_CONFIG_FILE") !== undefined) {
    return fileConfigSource(undefined, others);
  }
  return httpConfigSource({ ...others, baseUrl, apiKey });
}
