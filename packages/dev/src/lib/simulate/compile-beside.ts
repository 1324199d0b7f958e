import { build } from 'esbuild'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CompileError, problemOf } from '../compile/problem.ts'
import { commonOptions } from '../compile/transpile.ts'

/** Compiles a file that belongs to a bot, but is not part of it, into a module with its own copy of what it imports. Rejects with a `CompileError`. */
export async function compileBeside(root: string, file: string): Promise<{ path: string; remove: () => void }> {
  const parent = join(root, '.botwright')
  mkdirSync(parent, { recursive: true })
  // In the bot's folder, so that it finds the bot's packages.
  const folder = mkdtempSync(join(parent, 'beside-'))
  const path = join(folder, 'module.mjs')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const options = {
    ...commonOptions,
    write: true,
    absWorkingDir: root,
    sourcemap: 'inline',
    sourcesContent: false,
  } as const
  try {
    const { errors } = await build({ ...options, entryPoints: [file], outfile: path }).catch(
      (error: { errors?: Awaited<ReturnType<typeof build>>['errors'] }) => {
        if (!error.errors) throw error
        return { errors: error.errors }
      },
    )
    if (errors.length > 0) throw new CompileError(errors.map((error) => problemOf(error, root)))
    return { path, remove }
  } catch (error) {
    remove()
    throw error
  }
}
