import { Command } from "commander";
import type { ApiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import { examples } from "./command-help.ts";
import type { ConfirmFlags } from "./confirm.ts";
import { confirm, yesOption } from "./confirm.ts";
import { onPlatform } from "./on-platform.ts";

/** What the registry keeps under a name: projects, applications, variants, environments. */
interface Named {
  readonly description: string;
  /** What names it on the command line, or, for a new one, what it is to belong to. */
  readonly arguments: readonly (readonly [name: string, description: string])[];
  /** Of the thing itself, or, for a new one, of the list it joins. */
  readonly path: (...names: string[]) => ApiPath;
  readonly example: string;
}

interface NamedDocument {
  readonly id: string;
  readonly slug: string;
}

/** `create … NAME` */
export function createCommand(named: Named): Command {
  const command = begin("create", named).argument(
    "<name>",
    "lower-case letters and digits, separated by single - _ .",
  );
  return onPlatform<string[]>(command, async ({ api, show }, ...names) => {
    const slug = names.pop();
    const document = await api.send<NamedDocument>("POST", named.path(...names), { slug });
    show(document, (made) => [printableLine(`Created ${made.slug} (${made.id}).`)]);
  });
}

/** `rename … NAME` */
export function renameCommand(named: Named): Command {
  const command = begin("rename", named).argument("<name>", "new name");
  return onPlatform<string[]>(command, async ({ api, show }, ...names) => {
    const slug = names.pop();
    const document = await api.send<NamedDocument>("PATCH", named.path(...names), { slug });
    show(document, (renamed) => [printableLine(`Renamed ${names.at(-1)} to ${renamed.slug}.`)]);
  });
}

/** `delete …`, after asking. */
export function deleteCommand(
  named: Named & { readonly question: (...names: string[]) => string },
): Command {
  const command = begin("delete", named).addOption(yesOption());
  return onPlatform<string[], ConfirmFlags>(command, async (session, ...names) => {
    await confirm(session, named.question(...names));
    const document = await session.api.send("DELETE", named.path(...names));
    session.show(document, () => [printableLine(`Deleted ${names.at(-1)}.`)]);
  });
}

function begin(name: string, named: Named): Command {
  const command = new Command(name).description(named.description);
  for (const [argument, description] of named.arguments) command.argument(argument, description);
  return command.addHelpText("after", examples(named.example));
}
