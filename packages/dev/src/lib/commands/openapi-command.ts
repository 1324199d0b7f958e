import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProgramIo } from '@botwright/framework/start'
import { createTerminal } from '../terminal/terminal.ts'

interface OpenApiOptions {
  people: boolean
  out?: string
  io: ProgramIo
}

/** `framework openapi`: prints the document of the packages, unchanged. */
export async function runOpenApi({ people, out, io }: OpenApiOptions): Promise<number> {
  const name = people ? '@botwright/service/people-openapi.json' : '@botwright/protocol/openapi.json'
  const text = await readFile(fileURLToPath(import.meta.resolve(name)), 'utf8')
  if (out === undefined) io.stdout.write(text)
  else {
    const file = resolve(io.cwd, out)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    createTerminal(io).print(`${out}: ${Math.round(text.length / 1024)} kB`)
  }
  return 0
}
