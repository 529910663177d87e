import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { commandTree } from "./command-tree.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const program = new Command("agate")
  .helpCommand(false)
  .addCommand(
    new Command("paint")
      .description("Paint a wall: it's quick.")
      .addOption(new Option("-c, --colour <name>", "which").choices(["red", "blue"]))
      .addOption(new Option("--secret", "hidden").hideHelp()),
  )
  .addCommand(new Command("ghost"), { hidden: true });
const tree = commandTree(program);

describe("the words of a program", () => {
  it("are its commands, options and choices, without what is hidden", () => {
    expect(tree.map(({ path }) => path)).toEqual(["", "paint"]);
    expect(tree[1]?.options[0]).toEqual({
      flags: ["--colour", "-c"],
      description: "which",
      takesValue: true,
      choices: ["red", "blue"],
    });
    expect(JSON.stringify(tree)).not.toMatch(/secret|ghost/);
  });

  it("are quoted for zsh", () => {
    const script = zshScript(tree);
    expect(script).toContain("'paint:Paint a wall'");
    expect(script).toContain("'paint --colour'|'paint -c') candidates=('red' 'blue') ;;");
  });

  it("are rules for fish", () => {
    expect(fishScript(tree)).toContain(
      `complete -c agate -n '__agate_command "paint"' -l colour -s c -x -a 'red blue' -d 'which'`,
    );
  });
});
