/** A plugin of Vite, by what is used of it: Vite's own types are for its users to have. */
export interface DecoratorPlugin {
  readonly name: string;
  readonly enforce: "pre";
  /** Gives a module without decorators; null where it has none. */
  transform(code: string, id: string): Promise<{ code: string; map: string } | null>;
}

/** The part of esbuild that is used. */
interface Esbuild {
  transform(code: string, options: object): Promise<{ code: string; map: string }>;
}

const SOURCE = /\.([cm]?[jt]s|[jt]sx)$/;
const INSTALLED =
  /[\\/]node_modules[\\/]/; /** Called by the code that esbuild makes of every class with decorators. */
const LOWERED = "__decoratorStart(";
/**
 * A decorator where one can stand: at the begin of a line, or after what ends or begins a member.
 * Comments and texts may look alike.
 */
const DECORATOR = /(?:^|[;{}(),\]/]|\bexport|\bdefault)[ \t]*@[\w$(]/m;

/**
 * Lets Vite and Vitest load routes that are decorated methods. Their own transformer leaves standard
 * decorators as they are, and no runtime has them yet: `SyntaxError: Invalid or unexpected token`.
 * They are lowered with esbuild, as by `agate dev` and `agate deploy`.
 *
 * @example
 * import { agate } from "@agate/sdk/vite";
 * import { defineConfig } from "vitest/config";
 *
 * export default defineConfig({ plugins: [agate()] });
 */
export function agate(): DecoratorPlugin {
  return {
    name: "agate:decorators",
    enforce: "pre",
    async transform(code, id) {
      const [file = ""] = id.split("?", 1);
      const extension = SOURCE.exec(file)?.[1];
      if (extension === undefined || INSTALLED.test(file) || !DECORATOR.test(code)) return null;
      const { transform } = await loadEsbuild();
      const lowered = await transform(code, {
        loader: extension.replace(/^[cm]/, ""),
        sourcefile: file,
        sourcemap: true,
        // Everything else is Vite's to lower, for the targets that it was given.
        target: "esnext",
        supported: { decorators: false },
        jsx: "preserve",
        // Classes are called in the playground what they are called in the source.
        keepNames: true,
      });
      // What looked like a decorator was none: names that are kept would be an addition for nothing.
      if (!lowered.code.includes(LOWERED)) return null;
      return { code: lowered.code, map: lowered.map };
    },
  };
}

async function loadEsbuild(): Promise<Esbuild> {
  try {
    return (await import("esbuild")) as Esbuild;
  } catch (error) {
    throw new Error(
      "@agate/sdk/vite lowers decorators with esbuild, which is not installed. Run: npm install --save-dev esbuild",
      { cause: error },
    );
  }
}
