// Writes the OpenAPI document of the people's API to dist/people-openapi.json. Run it after the compiler: it imports the compiled table.
import { writeFile } from 'node:fs/promises'
import { asSpecified } from '@botwright/protocol/openapi'
import { createDocument } from 'zod-openapi'
import { peopleOpenApi } from '../dist/lib/people-api/openapi.js'

const document = createDocument(peopleOpenApi(), { override: asSpecified })
await writeFile(new URL('../dist/people-openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
