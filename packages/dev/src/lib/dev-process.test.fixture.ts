import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BotDraft } from './bot-folder.test.fixture.ts'

const program = fileURLToPath(new URL('../../../framework/bin/framework.cjs', import.meta.url))

/** Starts `framework dev`; `output` returns its output so far. */
export function startDev(draft: BotDraft, args: readonly string[] = []) {
  const dev = spawn(process.execPath, [program, 'dev', '--port', '0', ...args], {
    cwd: draft.root,
    env: { ...process.env, BOT_TOKEN: '', NO_COLOR: '1' },
  })
  let text = ''
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()))
  return { dev, output: () => text }
}

/** Ends `framework dev` as Ctrl-C does. */
export async function stop(dev: ChildProcess): Promise<void> {
  dev.kill('SIGTERM')
  if (dev.exitCode === null) await once(dev, 'exit')
}
