import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTerminal } from './terminal.ts'

/** `framework openapi`: prints the document of the packages, unchanged. */
export async function runOpenApi({ people, out }: { people: boolean; out?: string }): Promise<number> {
  const name = people ? '@botwright/service/people-openapi.json' : '@botwright/protocol/openapi.json'
  const text = await readFile(fileURLToPath(import.meta.resolve(name)), 'utf8')
  if (out === undefined) process.stdout.write(text)
  else {
    await mkdir(dirname(resolve(out)), { recursive: true })
    await writeFile(out, text)
    createTerminal().print(`${out}: ${Math.round(text.length / 1024)} kB`)
  }
  return 0
}
