import { join } from 'node:path'
import { storeIn } from '@botwright/framework/replay'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

const botId = '00000000-0000-0000-0000-000000000001'

test('requests lists those that were set aside, and runs them again', async () => {
  await using draft = await BotDraft.make({ 'commands/ping.ts': "export default () => 'pong'" })
  const requests = (...args: string[]) => draft.framework(['requests', '--bot', botId, ...args])
  using store = storeIn(join(draft.root, '.botwright'), botId)
  const request = { method: 'POST', path: '/github', params: {}, query: '', headers: {}, text: 'a private body' }
  const aside = { route: 'POST /github', atMs: 0, queue: 'q', request, state: 'running', failures: 1 }
  for (const id of ['a', 'b']) await store.set(`route:aside:${id}`, { ...aside, reason: 'routes/github.ts:3: no' })
  const { code, stdout } = await requests()
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: ['a', 'b'].map((id) => `${id}  POST /github  1970-01-01T00:00:00.000Z  routes/github.ts:3: no\n`).join(''),
  })
  expect(await requests('a', 'x')).toMatchObject({
    code: 1,
    stdout: '1 request will run again: under a running bot within 5 s, under a stopped one when it starts\n',
    stderr: 'x: not set aside\n',
  })
  expect(JSON.parse((await requests('--all', '--json')).stdout)).toEqual({ run_again: ['b'], not_set_aside: [] })
  expect(JSON.parse((await requests('--all', '--json')).stdout)).toEqual({ run_again: [], not_set_aside: [] })
  const value = { route: 'POST /github', atMs: 0, queue: 'q', request, state: 'waiting', again: true }
  expect((await store.list('route:')).map((row) => [row.key, row.value])).toEqual([
    ['route:row:a', value],
    ['route:row:b', value],
  ])
  expect((await requests()).stdout).toBe('no request is set aside\n')
})
