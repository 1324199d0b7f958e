// @module-tag all/commands
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBot, readBuild } from '@botwright/framework/start'
import { readConfig } from '@botwright/framework'
import { defaultWorld, startService } from '@botwright/service'
import { expect, onTestFinished, test } from 'vitest'
import { eventually, run } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))
const token = 'token-of-the-gathering-bot'

test('--again runs an event with the burst that it was part of', async () => {
  const root = await mkdtemp(join(tmpdir(), 'botwright-burst-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const framework = async (...args: string[]) => {
    const env = { NO_COLOR: '1', BOT_TOKEN: token, BOT_BASE_URL: 'http://127.0.0.1:9/v1' }
    const { code, stdout, stderr } = await run(args, { cwd: root, env })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return stdout
  }
  const answering = (words: string) => `import { event } from '@botwright/framework'
export default event('message', {
  gather: { quiet: '1s', max: '10s' },
  run: (ctx) => '${words}: ' + ctx.events.map((one) => one.content).join(' '),
})`
  await mkdir(join(root, 'node_modules'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(root, 'node_modules/@botwright'))
  await writeFile(join(root, 'package.json'), '{"type":"module"}')
  await writeFile(join(root, 'bot.config.ts'), 'export default { record: true }')
  await mkdir(join(root, 'events'))
  await writeFile(join(root, 'events/message.ts'), answering('You wrote'))
  await framework('build')
  await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
  const { api } = await startPerson(service.url, 'ann')
  const { servers } = await api.me.get()
  const { channels } = await api.servers.get({ server_id: servers[0]!.id })
  const channel_id = channels.find(({ name }) => name === 'general')!.id
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const bot = await startBot({
    ...{ source: readBuild(join(root, 'dist'), root).source, config: await readConfig({ record: true }), token, log },
    ...{ baseUrl: service.base_url, stateDir: join(root, '.botwright') },
  })
  for (const [i, text] of ['a', 'b', 'c'].entries()) {
    await api.messages.create({ channel_id, content: text })
    // The third message is a burst of its own.
    if (i > 0) await eventually(() => expect(bot.stats().finished).toBe(i + 1))
  }
  await bot.stop()
  await writeFile(join(root, 'events/message.ts'), answering('Now'))
  const ids = (await framework('events', '--json'))
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id)
  const again = await Promise.all(ids.map((id) => framework('explain', String(id), '--again')))
  for (const text of again.slice(0, 2)) expect(text).toContain('Now: a b')
  expect(again[2]).toContain('Now: c')
})
