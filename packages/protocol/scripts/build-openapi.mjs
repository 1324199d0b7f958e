// Writes the OpenAPI document of the bot interface to dist/openapi.json. Run it after the compiler: it imports the compiled table.
import { mkdir, writeFile } from 'node:fs/promises'
import { createDocument } from 'zod-openapi'
import { openApi } from '../dist/lib/openapi/openapi.js'
import { asSpecified } from '../dist/lib/openapi/openapi-paths.js'

const file = new URL('../dist/openapi.json', import.meta.url)
await mkdir(new URL('.', file), { recursive: true })
await writeFile(file, `${JSON.stringify(createDocument(openApi(), { override: asSpecified }), null, 2)}\n`)
