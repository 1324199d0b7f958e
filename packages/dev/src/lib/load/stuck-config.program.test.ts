// @module-tag all/real-time
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDevProcess } from '../dev-process.test.fixture.ts'
import { program } from '../program.test.fixture.ts'

// A configuration may wait for a service that does not respond.

const stuck = (then = '') => `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('loads', import.meta.url), '')
${then}
await new Promise(() => {})
export default {}`

test('check reports a configuration that does not finish loading', async () => {
  await using draft = await BotDraft.make({
    'commands/ping.ts': "export default () => 'pong'",
    'bot.config.ts': stuck(),
  })
  const { code, stdout } = await draft.process(['check'])
  expect(stdout).toContain('bot.config.ts  did not finish loading within 15 s: is there an await that never ends?')
  expect(code).toBe(1)
})

test('the modules of a check that was killed are deleted by the next one', async () => {
  await using draft = await BotDraft.make({
    'commands/ping.ts': "export default () => 'pong'",
    'bot.config.ts': stuck(),
  })
  const killed = spawn(process.execPath, [program, 'check'], { cwd: draft.root })
  await expect.poll(() => existsSync(join(draft.root, 'loads'))).toBe(true)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const folders = () =>
    readdirSync(join(draft.root, '.botwright'), { recursive: true }).filter((one) => /check.*\d/.test(String(one)))
  expect(folders()).not.toEqual([])
  await draft.write({ 'bot.config.ts': 'export default {}' })
  expect(await draft.process(['check'])).toMatchObject({ code: 0 })
  expect(folders()).toEqual([])
})

/** Starts `framework dev`, and waits until its configuration loads. */
async function startStuck(draft: BotDraft) {
  const dev = startDevProcess(draft)
  await expect.poll(() => existsSync(join(draft.root, 'loads'))).toBe(true)
  return dev
}

test('framework dev replaces a configuration that is stuck with the next save, and ends at a signal', async () => {
  await using draft = await BotDraft.make({
    'commands/ping.ts': "export default () => 'pong'",
    'bot.config.ts': stuck(),
  })
  const dev = await startStuck(draft)
  try {
    await draft.write({ 'bot.config.ts': 'export default {}' })
    await expect.poll(dev.output).toContain('/ping')
    expect(dev.output()).not.toContain('✘')
    await draft.write({ 'bot.config.ts': stuck() })
    await expect.poll(dev.output).toContain('bot.config.ts  did not finish loading')
    await draft.write({ 'bot.config.ts': 'export default { help: false }' })
    await expect.poll(dev.output).toContain('bot.config.ts has changed: restarted')
    dev.signal('SIGINT')
    expect(await dev.ended).toBe(0)
  } finally {
    dev.child.kill('SIGKILL')
  }
})

test('a signal ends framework dev while its configuration is stuck', async () => {
  await using draft = await BotDraft.make({
    'commands/ping.ts': "export default () => 'pong'",
    'bot.config.ts': stuck(),
  })
  const dev = await startStuck(draft)
  const late = setTimeout(() => dev.child.kill('SIGKILL'), 30_000)
  dev.signal('SIGINT')
  expect(await dev.ended).toBe(0)
  clearTimeout(late)
})

test('a second signal ends framework dev at once, without waiting for a handler', async () => {
  await using draft = await BotDraft.make({
    'commands/ping.ts': "export default () => 'pong'",
    'events/shutdown.ts': `import { writeFileSync } from 'node:fs'
export default async () => {
  writeFileSync(new URL('../stops', import.meta.url), '')
  await new Promise((end) => setTimeout(end, 60_000))
}`,
  })
  const dev = startDevProcess(draft)
  await expect.poll(dev.output).toContain('/ping')
  dev.signal('SIGINT')
  await expect.poll(() => existsSync(join(draft.root, 'stops'))).toBe(true)
  // Sooner, it counts as forwarded by npm.
  await new Promise((resolve) => setTimeout(resolve, 600))
  dev.signal('SIGINT')
  expect(await dev.ended).toBe(130)
})
