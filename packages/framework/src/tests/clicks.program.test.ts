import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ChatRig } from './chat-rig.test.fixture.ts'

const framework = new URL('../../dist/index.js', import.meta.url).href

const script = fileURLToPath(new URL('../../../workspace/soak/clicks.mjs', import.meta.url))

/** The short form of the soak: a built bot, a real service, and a handler that blocks its thread. */
const soak = (counts: Record<string, string>) =>
  new Promise<{ error: Error | null; result: Record<string, number> }>((resolve) =>
    execFile(process.execPath, [script], { env: { ...process.env, ...counts, NODE_OPTIONS: '' } }, (error, stdout) =>
      resolve({ error, result: JSON.parse(stdout || '{}') as Record<string, number> }),
    ),
  )

test('no click fails, whatever its handler does, even if one blocks the thread of all others', async () => {
  const { error, result } = await soak({ CLICKS: '60', RATE: '30', SLOW_MS: '2500', BLOCK_MS: '4000' })
  expect(result).toMatchObject({ clicks: 60, answered: 60, failed: 0, refused: 0, unfinished: 0 })
  expect(result['acks']).toBeGreaterThan(0)
  expect(error).toBeNull()
})

test('an eleventh answer to a click is rejected without a request, and answersLeft counts down', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot({
    'commands/vote.ts': `import many from '../buttons/many.mjs'
      import { row } from '${framework}'
      export default () => ({ content: 'Vote', components: [row(many.button({ label: 'Yes' }))] })`,
    'buttons/many.ts': `import { button } from '${framework}'
      export default button({ run: async (ctx) => {
        const left = []
        for (let i = 0; i < 10; i++) { left.push(ctx.answersLeft); await ctx.ack() }
        const code = await ctx.ack().catch((error) => error.code)
        await ctx.send(ctx.channel_id, [...left, ctx.answersLeft, code].join(' '))
      } })`,
  })
  await rig.says('ann', '/vote')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('10 9 8 7 6 5 4 3 2 1 0 ERR_ANSWERS_USED_UP'))
  expect(await rig.callbacks()).toHaveLength(10)
})
