import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { bodyBytes, bodyLines } from "../../api-client/response-body.ts";
import { examples } from "../client/command-help.ts";
import { CommandFailure } from "../client/failures.ts";
import { onPlatform } from "../client/on-platform.ts";
import { type TestSetAt, testSetArgument } from "./test-set-ref.ts";

/** `pull SET[@REVISION]` */
export function pullCommand(): Command {
  const command = new Command("pull")
    .description("Print the rows of a test set as JSONL, or write them to a file.")
    .addArgument(testSetArgument())
    .option("-o, --output <file>", "file to write instead of standard output")
    .addHelpText("after", examples("agate testsets pull golden@3 -o golden.jsonl"));
  return onPlatform<[TestSetAt], { readonly output?: string }>(
    command,
    async ({ api, flags, terminal }, { name, revision }) => {
      const path = apiPath`/registry/testsets/${name}/revisions/${revision}/export`;
      const response = await api.open(path, { accept: "application/jsonl", timeoutMs: null });
      const { url } = api.connection;
      const { output } = flags;
      if (output === undefined) {
        for await (const line of bodyLines(response, url)) if (line !== "") terminal.print(line);
        return;
      }
      try {
        await pipeline(bodyBytes(response, url), createWriteStream(output));
      } catch (error) {
        const { code, syscall } = error as NodeJS.ErrnoException;
        if (syscall === "open" || syscall === "write") {
          throw new CommandFailure(`${output} cannot be written: ${code}.`);
        }
        throw error;
      }
      terminal.note(`Wrote ${output}.`);
    },
  );
}
