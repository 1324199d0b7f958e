import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import type { BotDraft } from './bot-folder.test.fixture.ts'
import { plainEnv, program, type Running, start } from './program.test.fixture.ts'

/** Starts `framework dev` in this process. With `await using`, it ends before its folder is removed. */
export async function startDev(
  draft: Pick<BotDraft, 'root'>,
  args: readonly string[] = [],
): Promise<Running & AsyncDisposable> {
  const env = { BOT_TOKEN: '', NO_COLOR: '1' }
  const dev = await start(['dev', '--port', '0', ...args], { cwd: draft.root, env })
  return { ...dev, [Symbol.asyncDispose]: () => stop(dev) }
}

/** Ends `framework dev` as Ctrl-C does. */
export async function stop(dev: Running): Promise<void> {
  expect(dev.signal('SIGTERM'), 'framework dev handles SIGTERM').toBe(true)
  await dev.ended
}

/** Starts `framework dev` in a process of its own: for tests of its end, and of a configuration that reads `process.env`. */
export function startDevProcess(draft: Pick<BotDraft, 'root'>): Running & { child: ChildProcess } {
  const child = spawn(process.execPath, [program, 'dev', '--port', '0'], {
    cwd: draft.root,
    env: { ...plainEnv(), BOT_TOKEN: '', NO_COLOR: '1' },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()))
  const ended = once(child, 'exit').then(([code]) => Number(code))
  const loseReader = () => void child.stdout.destroy()
  return { child, output: () => text, signal: (name) => child.kill(name), loseReader, ended }
}
