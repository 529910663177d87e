import { isSlug } from "@agate/protocol";
import { InvalidArgumentError } from "commander";
import { WrongUsage } from "./client/failures.ts";
import { parsePort } from "./option-parsers.ts";

export const TARGETS = ["docker", "kubernetes"] as const;

/** The options of `agate build`. */
export interface BuildFlags {
  readonly target: (typeof TARGETS)[number];
  readonly out: string;
  readonly app?: string;
  readonly image?: string;
  readonly port: number;
  readonly include?: readonly string[];
  readonly baseUrl?: string;
  readonly environment?: string;
  readonly env?: ReadonlyMap<string, string>;
  readonly secret?: readonly string[];
  readonly json?: boolean;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What an image may be called: parts of lower-case letters and digits, a tag, a digest. */
const IMAGE =
  /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;

/** Those that mean something in a cluster only. */
const FOR_CLUSTERS = ["baseUrl", "environment", "env", "secret"] as const;

/** @throws WrongUsage for flags that are wrong, or wrong together. */
export function checkBuildFlags(flags: BuildFlags): void {
  const { target, app, environment, env, secret } = flags;
  for (const [option, slug] of Object.entries({ "--app": app, "--environment": environment })) {
    if (slug === undefined || isSlug(slug)) continue;
    throw new WrongUsage(
      `${option} must be lower-case letters and digits, with single "-", "_" or "." between them (got ${JSON.stringify(slug)})`,
    );
  }
  const stray = FOR_CLUSTERS.find((flag) => flags[flag] !== undefined);
  if (target === "docker" && stray !== undefined) {
    const option = `--${stray.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new WrongUsage(
      `${option} is for --target kubernetes; a container of Docker gets its variables when it is started, by docker run --env`,
    );
  }
  const twice = secret?.find((name) => env?.has(name));
  if (twice !== undefined) throw new WrongUsage(`${twice} is given by --env and by --secret`);
}

/** @example parseContainerPort("8080") // 8080 */
export function parseContainerPort(text: string): number {
  const port = parsePort(text);
  // Who is not root may not listen below.
  if (port < 1024) throw new InvalidArgumentError("A container's port is from 1024 to 65535.");
  return port;
}

export function parseImage(text: string): string {
  if (IMAGE.test(text)) return text;
  throw new InvalidArgumentError("Write it as registry.example/support:1.4.0.");
}

/** The platform's address, as others than this machine reach it. */
export function parsePlatformUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError("Write it as http://agate:4100.");
  }
  if (/^(?:localhost|127\..*|\[::1\])$/.test(url.hostname)) {
    throw new InvalidArgumentError("In a container that is the container itself.");
  }
  return text.replace(/\/+$/, "");
}

/** For `--env`: adds `NAME=value` to those before. */
export function collectVariable(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const at = text.indexOf("=");
  const name = text.slice(0, at);
  if (at < 1 || !VARIABLE.test(name)) {
    throw new InvalidArgumentError("Write it as NAME=value.");
  }
  return new Map([...before, [expectFree(name), text.slice(at + 1)]]);
}

/** For `--secret`: adds a name to those before. */
export function collectSecret(text: string, before: readonly string[] = []): readonly string[] {
  if (!VARIABLE.test(text)) {
    throw new InvalidArgumentError("It takes the name of a variable: OPENAI_API_KEY.");
  }
  return [...new Set([...before, expectFree(text)])];
}

const OWN_VARIABLES: ReadonlyMap<string, string> = new Map([
  ["AGATE_API_KEY", "It is in the Secret already, where --base-url is given."],
  ["AGATE_APPLICATION", "Use --app."],
  ["AGATE_BASE_URL", "Use --base-url."],
  ["AGATE_ENVIRONMENT", "Use --environment."],
  ["AGATE_LISTEN", "Use --port."],
]);

function expectFree(name: string): string {
  const advice = OWN_VARIABLES.get(name);
  if (advice !== undefined) throw new InvalidArgumentError(advice);
  return name;
}
