import { existsSync } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, startDevProcess, stop } from '../dev-process.test.fixture.ts'
import { inTerminal } from '../in-terminal.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

// Editors and programs write a file in two steps; the half in between lacks variables: ones that the bot requires, or others.

const config = `import { defineConfig } from '@botwright/framework'
import { z } from 'zod'

export default defineConfig({ env: z.object({ GREETING: z.string(), PLACE: z.string() }) })
`
/** Odd ones end within the name of a variable that the bot requires, even ones within its value. */
const halfOf = (n: number) => (n % 2 === 1 ? `GREETING=hej-${n}\nPL` : `GREETING=hej-${n}\nPLACE=he`)
const restOf = (n: number) => (n % 2 === 1 ? `ACE=here-${n}\n` : `re-${n}\n`)

type Save = (file: string, n: number, ms: number) => Promise<void>
const truncated: Save = async (file, n, ms) => {
  await writeFile(file, '')
  await wait(ms)
  await writeFile(file, halfOf(n) + restOf(n))
}
const inTwoParts: Save = async (file, n, ms) => {
  const handle = await open(file, 'w')
  await handle.write(halfOf(n))
  await wait(ms)
  await handle.write(restOf(n))
  await handle.close()
}
const removedAndRenamed: Save = async (file, n, ms) => {
  await writeFile(`${file}.tmp`, halfOf(n) + restOf(n))
  await rm(file)
  await wait(ms)
  await rename(`${file}.tmp`, file)
}
const renamedAndTouched: Save = async (file, n, ms) => {
  await writeFile(`${file}.tmp`, halfOf(n))
  await rename(`${file}.tmp`, file)
  await wait(ms)
  await writeFile(file, halfOf(n) + restOf(n))
}

test(
  'a .env that is written in two steps restarts the bot once, without an error about the half',
  { tags: 'all/real-time' },
  async () => {
    await using draft = await BotDraft.make({
      'bot.config.ts': config,
      'commands/greet.ts': 'export default () => process.env.GREETING',
      '.env': 'GREETING=hello\nPLACE=there\n',
    })
    const dev = await startDev(draft)
    const { output } = dev
    try {
      // The empty line below the table is the last line of the start.
      await expect.poll(output).toMatch(/\/greet.*\n\n/)
      const file = join(draft.root, '.env')
      let n = 0
      for (const save of [truncated, inTwoParts, removedAndRenamed, renamedAndTouched])
        for (const ms of [20, 50, 50, 80]) {
          const before = output().length
          await save(file, ++n, ms)
          await expect.poll(() => output().slice(before)).toContain('restarted')
          // A second restart would happen now.
          await wait(400)
          const told = output().slice(before).replaceAll('• commands: no change (2)\n', '')
          expect([save.name, ms, told]).toEqual([
            save.name,
            ms,
            expect.stringMatching(
              /^\d\d:\d\d:\d\d {2}⟳ \.env has changed \(GREETING, PLACE\): restarted {2}[\d.]+ m?s\n$/,
            ) as string,
          ])
        }
    } finally {
      await stop(dev)
    }
  },
)

test(
  'a configuration that reads the environment is evaluated again after a failed start',
  { tags: 'all/real-time' },
  async () => {
    await using draft = await BotDraft.make({
      'bot.config.ts': 'export default { limits: { handlerSeconds: Number(process.env.SECONDS) } }',
      'commands/greet.ts': "export default () => 'hello'",
      '.env': 'SECONDS=soon\n',
    })
    const dev = startDevProcess(draft)
    const { output } = dev
    try {
      await expect.poll(output).toContain('handlerSeconds')
      await writeFile(join(draft.root, '.env'), 'SECONDS=30\n')
      await expect.poll(output).toContain('/greet')
      await writeFile(join(draft.root, '.env'), 'SECONDS=never\n')
      await expect.poll(() => output().split('handlerSeconds').length).toBe(3)
      await writeFile(join(draft.root, '.env'), 'SECONDS=40\n')
      await expect.poll(output).toContain('.env has changed (SECONDS)')
    } finally {
      await stop(dev)
    }
  },
)

test('an invalid port in .env stops nothing', async () => {
  await using draft = await BotDraft.make({ 'commands/greet.ts': "export default () => 'hello'" })
  await using dev = await startDev(draft)
  const { output } = dev
  await expect.poll(output).toMatch(/Chat +http/)
  const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
  await draft.write({ '.env': 'BOT_HTTP_PORT=80 80\n' })
  await expect.poll(output).toContain('BOT_HTTP_PORT is not a port')
  expect(output()).toContain('still running the previous version')
  expect(await ann.answerTo('/greet')).toBe('hello')
  await draft.write({ '.env': 'BOT_HTTP_PORT=0\n' })
  await expect.poll(output).toContain('.env has changed (BOT_HTTP_PORT): restarted')
})

test.skipIf(process.platform !== 'linux')(
  'a change of .env counts although a restart was requested before it',
  { tags: 'all/real-time' },
  async () => {
    await using draft = await BotDraft.make({
      'commands/greet.ts': 'export default () => process.env.GREETING',
      '.env': 'GREETING=hello\n',
    })
    const dev = inTerminal(draft.root, 'dev --port 0')
    const { output } = dev
    try {
      await expect.poll(output).toContain('for the keys')
      const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
      expect(await ann.answerTo('/greet')).toBe('hello')
      // The load takes longer than the two that follow it.
      const loads = "process.getBuiltinModule('node:fs').writeFileSync('loads', '')"
      await draft.write({
        'commands/slow.ts': `${loads}\nawait new Promise((go) => setTimeout(go, 1000))\nexport default () => 'slow'`,
      })
      await expect.poll(() => existsSync(join(draft.root, 'loads'))).toBe(true)
      dev.type('r\n')
      await wait(50)
      await draft.write({ '.env': 'GREETING=hej\n' })
      await expect.poll(output).toContain('as requested: restarted')
      await ann.comesToAnswer('/greet', 'hej')
    } finally {
      dev.type('\u0003')
      await dev.ended
    }
  },
)
