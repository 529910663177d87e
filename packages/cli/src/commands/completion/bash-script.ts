import type { CommandWords } from "./command-tree.ts";

/** Bash asks `_agate` for the words that may stand where the cursor is. */
export function bashScript(tree: readonly CommandWords[]): string {
  return `# Completion of agate for bash: eval "$(agate completion bash)"
_agate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" option="" index=1 word
  while (( index < COMP_CWORD )); do
    word="\${COMP_WORDS[index]}"
    (( index++ ))
    # bash takes "--option=value" apart at the "=".
    if [[ -n "$option" ]]; then [[ "$word" == "=" ]] || option=""; continue; fi
    case "$path $word" in
${tree.flatMap(valueCases).join("\n")}
${tree.flatMap(commandCases).join("\n")}
    esac
  done
  [[ "$current" == "=" ]] && current=""
  if [[ -n "$option" ]]; then
    case "$path $option" in
${tree.flatMap(choiceCases).join("\n")}
      *) return ;;
    esac
  else
    case "$path" in
${tree.map(wordCase).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _agate agate
`;
}

function valueCases({ path, options }: CommandWords): string[] {
  const flags = options.filter(({ takesValue }) => takesValue).flatMap((option) => option.flags);
  if (flags.length === 0) return [];
  return [`      ${flags.map((flag) => quoted(`${path} ${flag}`)).join("|")}) option="$word" ;;`];
}

function commandCases({ path, commands }: CommandWords): string[] {
  return commands.map(
    ({ word }) => `      ${quoted(`${path} ${word}`)}) path=${quoted(`${path} ${word}`.trim())} ;;`,
  );
}

function choiceCases({ path, options }: CommandWords): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ flags, choices }) => {
      const patterns = flags.map((flag) => quoted(`${path} ${flag}`)).join("|");
      return `      ${patterns}) words=${quoted(choices.join(" "))} ;;`;
    });
}

function wordCase({ path, commands, options, choices }: CommandWords): string {
  const words = [
    ...commands.map(({ word }) => word),
    ...choices,
    ...options.flatMap(({ flags }) => flags),
  ];
  return `      ${quoted(path)}) words=${quoted(words.join(" "))} ;;`;
}

/** Names of commands and options, and choices, have neither quotes nor anything that bash expands. */
function quoted(text: string): string {
  return `"${text}"`;
}
