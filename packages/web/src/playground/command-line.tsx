import { CopyButton } from "../design/copy-button.tsx";

/** A command to be typed at a terminal. */
export function CommandLine({ command }: { readonly command: string }) {
  return (
    <div className="flex max-w-full items-center gap-2 self-start rounded-md border border-line bg-surface py-0.5 pr-0.5 pl-2.5">
      <code className="min-w-0 truncate font-mono text-[0.93rem]">{command}</code>
      <CopyButton what={`the command ${command}`} text={command} />
    </div>
  );
}
