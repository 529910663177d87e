import type { CommandWords } from "./command-tree.ts";

/** Zsh, with a description beside each word. */
export function zshScript(tree: readonly CommandWords[]): string {
  return `#compdef agate
# Completion of agate for zsh: eval "$(agate completion zsh)"
_agate() {
  local cmd="" option="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n "$option" ]]; then option=""; continue; fi
    case "$cmd $word" in
${tree.flatMap(valueCases).join("\n")}
${tree.flatMap(commandCases).join("\n")}
    esac
  done
  if [[ -n "$option" ]]; then
    case "$cmd $option" in
${tree.flatMap(choiceCases).join("\n")}
      *) _files; return ;;
    esac
  else
    case "$cmd" in
${tree.map(wordCase).join("\n")}
    esac
    [[ -n "$cmd" && "$PREFIX" != -* ]] && _files
  fi
  _describe agate candidates
}
if [[ "$funcstack[1]" = "_agate" ]]; then _agate "$@"; else compdef _agate agate; fi
`;
}

function valueCases({ path, options }: CommandWords): string[] {
  const flags = options.filter(({ takesValue }) => takesValue).flatMap((option) => option.flags);
  if (flags.length === 0) return [];
  return [`      ${flags.map((flag) => quoted(`${path} ${flag}`)).join("|")}) option="$word" ;;`];
}

function commandCases({ path, commands }: CommandWords): string[] {
  return commands.map(
    ({ word }) => `      ${quoted(`${path} ${word}`)}) cmd=${quoted(`${path} ${word}`.trim())} ;;`,
  );
}

function choiceCases({ path, options }: CommandWords): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ flags, choices }) => {
      const patterns = flags.map((flag) => quoted(`${path} ${flag}`)).join("|");
      return `      ${patterns}) candidates=(${choices.map(quoted).join(" ")}) ;;`;
    });
}

function wordCase({ path, commands, options, choices }: CommandWords): string {
  const words = [
    ...commands.map(({ word, description }) => described(word, description)),
    ...choices.map(quoted),
    ...options.flatMap(({ flags, description }) =>
      flags.map((flag) => described(flag, description)),
    ),
  ];
  return `      ${quoted(path)}) candidates=(${words.join(" ")}) ;;`;
}

function described(word: string, description: string): string {
  return quoted(`${word}:${description.replaceAll(":", "\\:")}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
