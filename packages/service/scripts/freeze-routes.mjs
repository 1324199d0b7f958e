// Writes the result of src/lib/people-api/routes.ts to dist/ as plain data. Run it after the compiler: it imports the compiled table.
import { requestRoutesOf } from '@botwright/protocol'
import { writeFile } from 'node:fs/promises'
import { peopleEndpoints } from '../dist/lib/people-api/endpoints/index.js'

const file = new URL('../dist/lib/people-api/routes.js', import.meta.url)
await writeFile(file, `export const peopleRoutes = ${JSON.stringify(requestRoutesOf(peopleEndpoints))}\n`)
