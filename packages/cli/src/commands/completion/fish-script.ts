import type { CommandWords, OptionWords } from "./command-tree.ts";

/** Fish: a rule for each word, under the condition that the commands before it were written. */
export function fishScript(tree: readonly CommandWords[]): string {
  return `# Completion of agate for fish: agate completion fish | source
function __agate_command
  set -l cmd
  set -l skip 0
  for word in (commandline -opc)[2..]
    if test $skip = 1
      set skip 0
      continue
    end
    switch "$cmd $word"
${tree.flatMap(valueCases).join("\n")}
${tree.flatMap(commandCases).join("\n")}
    end
  end
  test "$cmd" = "$argv[1]"
end
complete -c agate -e
${tree.flatMap(rules).join("\n")}
`;
}

function valueCases({ path, options }: CommandWords): string[] {
  const flags = options.filter(({ takesValue }) => takesValue).flatMap((option) => option.flags);
  if (flags.length === 0) return [];
  return [
    `      case ${flags.map((flag) => quoted(`${path} ${flag}`)).join(" ")}`,
    "        set skip 1",
  ];
}

function commandCases({ path, commands }: CommandWords): string[] {
  return commands.flatMap(({ word }) => [
    `      case ${quoted(`${path} ${word}`)}`,
    `        set cmd ${quoted(`${path} ${word}`.trim())}`,
  ]);
}

function rules({ path, commands, options, choices }: CommandWords): string[] {
  const condition = `-n ${quoted(`__agate_command "${path}"`)}`;
  return [
    ...commands.map(
      ({ word, description }) =>
        `complete -c agate ${condition} -f -a ${quoted(word)} -d ${quoted(description)}`,
    ),
    ...(choices.length > 0
      ? [`complete -c agate ${condition} -f -a ${quoted(choices.join(" "))}`]
      : []),
    ...options.map((option) => `complete -c agate ${condition} ${optionRule(option)}`),
  ];
}

function optionRule({ flags, description, takesValue, choices }: OptionWords): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const value =
    choices.length > 0 ? [`-x -a ${quoted(choices.join(" "))}`] : takesValue ? ["-r"] : [];
  return [...names, ...value, `-d ${quoted(description)}`].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
