import { Command } from "commander";

/** What the commands use of their process. Tests give commands streams and variables of their own. */
export interface CommandProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  exitCode?: NodeJS.Process["exitCode"];
}

/** The program at the root of all commands, which holds their process. */
export class Program extends Command {
  readonly process: CommandProcess;

  constructor(name: string, commandProcess: CommandProcess) {
    super(name);
    this.process = commandProcess;
  }
}

/** The process that a command was started in; this one for a command without a program. */
export function processOf(command: Command): CommandProcess {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return root instanceof Program ? root.process : process;
}
