// Writes the result of src/lib/routes.ts to dist/lib/routes.js as plain data. Run it after the compiler: it imports the compiled table.
import { writeFile } from 'node:fs/promises'
import { endpointsByName } from '../dist/lib/endpoints.js'
import { routesOf } from '../dist/lib/routes-of.js'

const file = new URL('../dist/lib/routes.js', import.meta.url)
await writeFile(file, `export const routes = ${JSON.stringify(routesOf(endpointsByName))}\n`)
