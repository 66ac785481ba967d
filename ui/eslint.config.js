import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";
import { boundaries } from "./eslint.boundaries.js";

export default tseslint.config(
  { ignores: ["dist", "gallery-dist", "node_modules", "public", "src/kinds/generated.ts"] },
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true } } },
  { plugins: { "react-hooks": hooks, windlass: { rules: { boundaries } } } },
  {
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "windlass/boundaries": "error",
      "no-restricted-syntax": ["error", { selector: "ExportDefaultDeclaration", message: "Export by name." }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // An event handler may start something that ends later; its errors are shown by whoever started it.
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
      "max-lines": ["error", { max: 320, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["warn", { max: 150, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ["src/words/*.ts"], rules: { "max-lines": "off" } },
  { files: ["**/*.js", "*.config.ts"], ...tseslint.configs.disableTypeChecked },
  { files: ["*.config.{js,ts}"], rules: { "no-restricted-syntax": "off" } },
);
