import { CopyButton } from "./copy-button.tsx";

/** A command to be typed at a terminal, with a button that copies it. */
export function CommandLine({ command }: { readonly command: string }) {
  return (
    <div className="flex max-w-full items-center justify-between gap-2 rounded-md bg-sunken py-1 pr-1 pl-3 text-left">
      <code className="min-w-0 font-mono text-[0.93rem] break-all text-ink">{command}</code>
      <CopyButton what={`the command ${command}`} text={command} />
    </div>
  );
}
