import type { ConfigDiff } from "@agate/protocol";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-path.ts";
import { APP } from "../client/arguments.ts";
import { examples } from "../client/examples.ts";
import { onPlatform } from "../client/on-platform.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { diffLines } from "../views/diff-view.ts";

/** `agate revisions diff`: how two configurations differ. */
export function diffCommand(): Command {
  const command = new Command("diff")
    .description("Compare two revisions, per route and field.")
    .argument(...APP)
    .argument("<from>", "variant, variant@revision, or env:environment for what is live there")
    .argument("<to>", "the same")
    .option("--exit-code", "exit with 1 where they differ")
    .addHelpText(
      "after",
      examples(
        "agate revisions diff support default@3 default",
        "agate revisions diff support env:production env:staging --exit-code",
      ),
    );
  return onPlatform<[string, string, string], { readonly exitCode?: boolean }>(
    command,
    async (session, app, from, to) => {
      const { api, terminal, flags } = session;
      const path = apiPath`/registry/applications/${app}/diff`;
      const document = await api.get<ConfigDiff>(path, { from, to });
      session.show(document, (diff) => diffLines(diff, terminal.paint));
      const differ = document.value.routes.length > 0;
      if (flags.exitCode && differ) process.exitCode = EXIT_CODES.failed;
    },
  );
}
