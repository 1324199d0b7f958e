import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, plainEnv, program, run } from './program.test.fixture.ts'

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))

/** A bot's folder as an author has it, with linked packages, and the program run in it. */
export class BotDraft implements AsyncDisposable {
  readonly root: string

  private constructor(root: string) {
    this.root = root
  }

  static async make(files: Record<string, string> = {}): Promise<BotDraft> {
    const draft = new BotDraft(await mkdtemp(join(tmpdir(), 'botwright-draft-')))
    await mkdir(join(draft.root, 'node_modules'))
    // The compiler of a new bot.
    for (const [name, from = name] of [['@botwright'], ['@types'], ['typescript', 'ts7'], ['zod']] as const)
      await symlink(join(checkout, 'node_modules', from), join(draft.root, 'node_modules', name))
    await draft.write({ 'package.json': '{"type":"module"}', ...files })
    return draft
  }

  async write(files: Record<string, string>): Promise<void> {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.root, file)), { recursive: true })
      await writeFile(join(this.root, file), text)
    }
  }

  /** Runs a command of the built program in this process; `inside`: in a subfolder of the bot. */
  framework(args: readonly string[], env: Record<string, string> = {}, inside = '.'): Promise<Ended> {
    return run(args, { cwd: join(this.root, inside), env })
  }

  /** Runs it in a process of its own. */
  process(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return new Promise((resolve) =>
      execFile(
        process.execPath,
        [program, ...args],
        { cwd: this.root, env: { ...plainEnv(), ...env } },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      ),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}

/** The compiler settings of a new bot. */
export const templateFolder = join(checkout, 'templates/basic')
