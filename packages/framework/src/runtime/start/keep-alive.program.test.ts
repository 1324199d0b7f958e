import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'

const built = fileURLToPath(new URL('../../../dist/joined/', import.meta.url))

const program = (source: object, baseUrl: string) => `
import { createLog, startBot } from '${built}start.js'
import { readConfig } from '${built}index.js'
const config = await readConfig({ limits: { waiting: 1 } })
const log = createLog({ level: 'info' })
startBot({ source: ${JSON.stringify(source)}, config, baseUrl: '${baseUrl}', token: '${token}', log })
`

test('the process stays alive while running handlers prevent a poll', { tags: 'all/processes' }, async () => {
  await using rig = await ChatRig.start()
  const handler = `export default (ctx) => new Promise((resolve) => setTimeout(resolve, 400, ctx.typed))`
  const file = join(rig.root, 'bot.mjs')
  writeFileSync(file, program(rig.source({ 'commands/slow.ts': handler }), rig.service.base_url))
  const bot = spawn(process.execPath, [file], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(bot, 'exit')
  try {
    let output = ''
    bot.stdout.on('data', (text) => (output += String(text)))
    await rig.until(() => output.includes('is ready'))
    for (let i = 1; i <= 6; i++) await rig.says('ann', `/slow ${i}`)
    await rig.until(async () => bot.exitCode !== null || (await rig.texts()).includes('6'))
    expect(bot.exitCode).toBeNull()
    expect((await rig.texts()).filter((text) => /^\d$/.test(text))).toEqual(['1', '2', '3', '4', '5', '6'])
  } finally {
    bot.kill('SIGKILL')
    await ended
  }
})
