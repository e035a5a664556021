/** Where this program is installed. Both src/ and the flat dist/ that `npm run build` writes lie directly in it. */
import { fileURLToPath } from "node:url";

/** The directory of package.json, with a slash at its end. */
export const packageRoot = fileURLToPath(new URL("..", import.meta.url));
