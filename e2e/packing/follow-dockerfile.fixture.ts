import { execFile } from "node:child_process";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { npm } from "./user-project.fixture.ts";

/** What an image would be. */
export interface Image {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly command: readonly string[];
  readonly health: readonly string[];
  readonly user: string | undefined;
  readonly exposed: string | undefined;
  /** The image that it is based on. */
  readonly base: string | undefined;
}

/** Does by hand what `docker build` would, as far as that goes without Docker. */
export async function followDockerfile(context: string, root: string): Promise<Image> {
  const text = (await readFile(join(context, "Dockerfile"), "utf8")).replaceAll("\\\n", "");
  const env: Record<string, string> = { PATH: process.env.PATH ?? "" };
  const found: Record<string, string> = {};
  let folder = root;
  for (const line of text.split("\n").filter((each) => !/^(?:#|$)/.test(each))) {
    const [instruction = "", ...words] = line.trim().split(/\s+/);
    const rest = line.trim().slice(instruction.length).trim();
    found[instruction] = rest;
    if (instruction === "ENV") {
      const [name = "", value = ""] = rest.split("=");
      env[name] = value;
    } else if (instruction === "WORKDIR") {
      folder = join(root, rest);
    } else if (instruction === "COPY") {
      const sources = words.slice(0, -1);
      for (const source of sources) {
        const into = source.endsWith("/") ? folder : join(folder, source.split("/").at(-1)!);
        await cp(join(context, source), into, { recursive: true });
      }
    } else if (instruction === "RUN") {
      const [command, ...args] = words.filter((word) => !word.startsWith("--mount"));
      expect(command).toBe("npm");
      await npm(folder, ...args);
    } else {
      expect(["ARG", "FROM", "USER", "EXPOSE", "HEALTHCHECK", "CMD"]).toContain(instruction);
    }
  }
  return {
    folder,
    env,
    command: JSON.parse(found.CMD ?? ""),
    health: JSON.parse(/CMD (\[.*\])$/.exec(found.HEALTHCHECK ?? "")?.[1] ?? ""),
    user: found.USER,
    exposed: found.EXPOSE,
    base: found.FROM?.replace(/^\$\{NODE_IMAGE\}$/, found.ARG?.replace("NODE_IMAGE=", "") ?? ""),
  };
}

/** Runs the image's health check. */
export async function isHealthy({ health, env, folder }: Image): Promise<boolean> {
  const [, ...args] = health;
  const check = promisify(execFile)(process.execPath, args, { env, cwd: folder });
  return check.then(
    () => true,
    () => false,
  );
}
